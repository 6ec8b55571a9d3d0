# OAuth 2 as the extension hands it to the wiki: Debian's MediaWiki has no OAuth extension, so this
# session provider lets in whoever brings a bearer token that the tests' provider has issued. The
# file beside this wiki's settings has the tokens' digests, each with a user's number and an end.

class BearerConsumer extends MediaWiki\Session\ImmutableSessionProviderWithCookie {
	public function __construct() {
		parent::__construct();
		$this->priority = 60;
	}

	public function provideSessionInfo( MediaWiki\Request\WebRequest $request ) {
		$user = self::userOf( (string)$request->getHeader( 'Authorization' ) );
		if ( !$user ) {
			return null;
		}
		return new MediaWiki\Session\SessionInfo( $this->priority, [
			'provider' => $this,
			'id' => $this->hashToSessionId( (string)$request->getHeader( 'Authorization' ) ),
			'userInfo' => MediaWiki\Session\UserInfo::newFromId( $user, true ),
			'persisted' => false,
			'forceUse' => true,
		] );
	}

	public static function userOf( string $header ): int {
		if ( !str_starts_with( $header, 'Bearer ' ) || !is_file( __DIR__ . '/bearer.json' ) ) {
			return 0;
		}
		$issued = json_decode( file_get_contents( __DIR__ . '/bearer.json' ), true );
		$found = $issued[ hash( 'sha256', substr( $header, 7 ) ) ] ?? null;
		return $found && $found['expires'] > time() ? $found['user'] : 0;
	}
}
$wgSessionProviders['BearerConsumer'] = [ 'class' => BearerConsumer::class, 'args' => [] ];

# What the extension does to every edit of an application.
$wgHooks['RecentChange_save'][] = static function ( $change ) {
	if ( BearerConsumer::userOf( (string)RequestContext::getMain()->getRequest()->getHeader( 'Authorization' ) ) ) {
		$change->addTags( 'OAuth CID: 1' );
	}
};
