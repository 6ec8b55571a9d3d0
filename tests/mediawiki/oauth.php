# OAuth 1.0a as owner-only consumers use it: Debian's MediaWiki has no OAuth extension, so this
# session provider checks the signed request by the book and lets LinkBot in.

class OwnerOnlyConsumer extends MediaWiki\Session\ImmutableSessionProviderWithCookie {
	private const CONSUMER = [ 'consumer-token', 'consumer-secret' ];
	private const ACCESS = [ 'access-token', 'access-secret' ];

	public function __construct() {
		parent::__construct();
		$this->priority = 60;
	}

	public function provideSessionInfo( MediaWiki\Request\WebRequest $request ) {
		$given = $this->given( (string)$request->getHeader( 'Authorization' ) );
		if ( !$given || !$this->isSigned( $given, $request ) ) {
			return null;
		}
		return new MediaWiki\Session\SessionInfo( $this->priority, [
			'provider' => $this,
			'id' => $this->hashToSessionId( $given['oauth_token'] ),
			'userInfo' => MediaWiki\Session\UserInfo::newFromName( 'LinkBot', true ),
			'persisted' => false,
			'forceUse' => true,
		] );
	}

	private function given( string $header ): array {
		if ( !str_starts_with( $header, 'OAuth ' ) ) {
			return [];
		}
		preg_match_all( '/(\w+)="([^"]*)"/', $header, $found );
		return array_map( 'rawurldecode', array_combine( $found[1], $found[2] ) );
	}

	private function isSigned( array $given, $request ): bool {
		$signature = $given['oauth_signature'];
		unset( $given['oauth_signature'] );
		$pairs = [];
		foreach ( $request->getQueryValuesOnly() + $_POST + $given as $key => $value ) {
			$pairs[] = rawurlencode( $key ) . '=' . rawurlencode( $value );
		}
		sort( $pairs, SORT_STRING );
		$parts = [ $request->getMethod(), getenv( 'MW_SERVER' ) . '/api.php', implode( '&', $pairs ) ];
		$base = implode( '&', array_map( 'rawurlencode', $parts ) );
		$key = rawurlencode( self::CONSUMER[1] ) . '&' . rawurlencode( self::ACCESS[1] );
		return $given['oauth_consumer_key'] === self::CONSUMER[0]
			&& $given['oauth_token'] === self::ACCESS[0]
			&& hash_equals( base64_encode( hash_hmac( 'sha1', $base, $key, true ) ), $signature );
	}
}
$wgSessionProviders['OwnerOnlyConsumer'] = [ 'class' => OwnerOnlyConsumer::class, 'args' => [] ];
