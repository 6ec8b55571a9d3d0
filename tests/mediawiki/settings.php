<?php
# What the tests' wikis add to the installer's LocalSettings.php.  Nothing here depends on the folder's place.

# As the installer sets it, without an fsync per commit: the tests kill the bot, not the wiki's machine.
$wgDBservers = [ [
	'type' => 'sqlite', 'host' => '', 'dbname' => $wgDBname, 'user' => '', 'password' => '',
	'dbDirectory' => $wgSQLiteDataDir, 'variables' => [ 'synchronous' => 'OFF' ],
	'trxMode' => 'IMMEDIATE', 'flags' => DBO_DEFAULT, 'load' => 1,
] ];
$wgServer = getenv( 'MW_SERVER' ) ?: 'http://127.0.0.1';
$wgCookiePrefix = 'wiki' . (int)parse_url( $wgServer, PHP_URL_PORT );  # cookies know no port
$wgCacheDirectory = __DIR__ . '/cache';
$wgUploadDirectory = __DIR__ . '/images';
$wgTmpDirectory = __DIR__ . '/tmp';
$wgReadOnlyFile = __DIR__ . '/readonly';

# Maintenance scripts and web requests share no memory: caches would let them disagree.
$wgMainCacheType = CACHE_NONE;
$wgParserCacheType = CACHE_NONE;
$wgMessageCacheType = CACHE_NONE;
$wgSessionCacheType = CACHE_DB;

$wgJobRunRate = 0;
$wgEnableEmail = false;
$wgPingback = false;
$wgGroupPermissions['bot']['noratelimit'] = true;
$wgGroupPermissions['sysop']['deleterevision'] = true;
# Tests write as people do, only faster: a quick machine passes the default of 90 edits a minute, and of 8
# without an account.
$wgRateLimits['edit']['user'] = [ 100000, 60 ];
$wgRateLimits['edit']['ip'] = [ 100000, 60 ];
# These lists are fetched from the net by default.
$wgSpamBlacklistFiles = [];
$wgBlacklistSettings = [ 'spam' => [ 'files' => [] ], 'email' => [ 'files' => [] ] ];
$wgExtraNamespaces[100] = 'Portal';
$wgExtraNamespaces[101] = 'Portal_talk';
$wgExtraNamespaces[828] = 'Module';
$wgExtraNamespaces[829] = 'Module_talk';

if ( is_file( __DIR__ . '/extra.php' ) ) {
	require __DIR__ . '/extra.php';
}
