/*
 * Missing links for the page that is being edited, with reasons; accept or dismiss each.
 *
 * Put this into [[Special:MyPage/common.js]], with the address of your own `wikibot serve`:
 *
 *   window.wikibotGadget = { api: 'http://127.0.0.1:8080' };  // threshold: 0.5
 *   mw.loader.load( window.wikibotGadget.api + '/gadget.js' );
 *
 * Where the API asks for a token, you are asked for it once; it stays in this browser.
 * Nothing is saved by it: accepted links stand in the edit box, and you save the page yourself.
 */
( function () {
	'use strict';

	var script = document.currentScript,
		given = window.wikibotGadget || {},
		settings = {
			api: ( given.api || ( script && script.src ? new URL( script.src ).origin : '' ) ).replace( /\/$/, '' ),
			threshold: given.threshold === undefined ? 0.5 : given.threshold,
			most: given.most || 15,
			wiki: given.wiki || ''
		},
		messages = {
			en: {
				suggest: 'Suggest links',
				asking: 'Looking for missing links …',
				none: 'No missing links were found in this text.',
				found: 'Missing links that were found: $1. Accepted ones are put into the text; you save it yourself.',
				accept: 'Accept',
				dismiss: 'Dismiss',
				accepted: 'The link to $1 is in the text.',
				dismissed: 'The link to $1 will not be proposed again.',
				local: 'The link to $1 is hidden here only: $2',
				renewed: 'The text was changed, so the suggestions were made anew.',
				failed: 'The suggestions cannot be read: $1',
				token: 'The link suggestions at $1 need a token. It is kept in this browser.',
				heading: 'Link suggestions'
			},
			de: {
				suggest: 'Links vorschlagen',
				asking: 'Fehlende Links werden gesucht …',
				none: 'In diesem Text wurden keine fehlenden Links gefunden.',
				found: 'Gefundene fehlende Links: $1. Angenommene stehen im Text; gespeichert wird von dir.',
				accept: 'Annehmen',
				dismiss: 'Verwerfen',
				accepted: 'Der Link auf $1 steht im Text.',
				dismissed: 'Der Link auf $1 wird nicht wieder vorgeschlagen.',
				local: 'Der Link auf $1 ist nur hier ausgeblendet: $2',
				renewed: 'Der Text wurde geändert, deshalb wurden neue Vorschläge gemacht.',
				failed: 'Die Vorschläge können nicht gelesen werden: $1',
				token: 'Die Link-Vorschläge auf $1 brauchen ein Token. Es bleibt in diesem Browser.',
				heading: 'Link-Vorschläge'
			},
			fr: {
				suggest: 'Proposer des liens',
				asking: 'Recherche des liens manquants…',
				none: 'Aucun lien manquant n’a été trouvé dans ce texte.',
				found: 'Liens manquants trouvés : $1. Ceux que vous acceptez sont placés dans le texte ; vous l’enregistrez vous-même.',
				accept: 'Accepter',
				dismiss: 'Écarter',
				accepted: 'Le lien vers $1 est dans le texte.',
				dismissed: 'Le lien vers $1 ne sera plus proposé.',
				local: 'Le lien vers $1 est masqué ici seulement : $2',
				renewed: 'Le texte a été modifié, les propositions ont donc été refaites.',
				failed: 'Les propositions ne peuvent pas être lues : $1',
				token: 'Les propositions de liens de $1 demandent un jeton. Il reste dans ce navigateur.',
				heading: 'Propositions de liens'
			}
		};

	/* The message in the reader's language, with what stands for $1 and $2. */
	function say( name, first, second ) {
		var language = mw.config.get( 'wgUserLanguage' ).split( '-' )[ 0 ],
			text = ( messages[ language ] || messages.en )[ name ];
		return text.replace( '$1', function () {
			return first;
		} ).replace( '$2', function () {
			return second;
		} );
	}

	/* The place in a JavaScript string of a place that is counted in code points. */
	function unitOffset( text, codePoints ) {
		var at = 0;
		while ( codePoints-- > 0 ) {
			at += text.codePointAt( at ) > 0xFFFF ? 2 : 1;
		}
		return at;
	}

	/* The link as wikitext; a capital at the beginning of a title need not be written. */
	function markup( words, target ) {
		var isSame = words === target ||
			( mw.config.get( 'wgCaseSensitiveNamespaces' ).indexOf( 0 ) === -1 &&
				words.charAt( 0 ).toUpperCase() + words.slice( 1 ) === target );
		return isSame ? '[[' + words + ']]' : '[[' + target + '|' + words + ']]';
	}

	/* The token for the API, as it is kept in this browser. */
	function keptToken() {
		return mw.storage.get( 'wikibot-token ' + settings.api ) || '';
	}

	/* Ask the person for a token; false where none is given. */
	function askForToken() {
		var token = ( window.prompt( say( 'token', settings.api ) ) || '' ).trim();
		return token !== '' && mw.storage.set( 'wikibot-token ' + settings.api, token );
	}

	/* The answer of the API; its own sentence where it says no. */
	function ask( path, body ) {
		var headers = { 'Content-Type': 'application/json' };
		if ( keptToken() ) {
			headers.Authorization = 'Bearer ' + keptToken();
		}
		return fetch( settings.api + path, {
			method: 'POST',
			headers: headers,
			body: JSON.stringify( body )
		} ).then( function ( answer ) {
			return answer.json().then( function ( found ) {
				if ( answer.status === 401 && askForToken() ) {
					return ask( path, body );
				}
				if ( !answer.ok ) {
					throw new Error( found.error || answer.status );
				}
				return found;
			} );
		} );
	}

	function element( name, text, attributes ) {
		var made = document.createElement( name );
		made.textContent = text || '';
		Object.keys( attributes || {} ).forEach( function ( key ) {
			made.setAttribute( key, attributes[ key ] );
		} );
		return made;
	}

	function Panel( box ) {
		var panel = this;
		this.box = $( box );
		this.root = element( 'section', '', {
			id: 'wikibot-gadget',
			'aria-label': say( 'heading' ),
			style: 'border: 1px solid #a2a9b1; padding: 0.5em 1em; margin: 0.5em 0;'
		} );
		this.button = element( 'button', say( 'suggest' ), { type: 'button', class: 'wikibot-suggest' } );
		this.status = element( 'span', '', {
			class: 'wikibot-status', role: 'status', style: 'margin-inline-start: 1em;'
		} );
		this.list = element( 'ul', '', { class: 'wikibot-links', style: 'margin-top: 0.5em;' } );
		this.button.addEventListener( 'click', function () {
			panel.suggest( '' );
		} );
		[ this.button, this.status, this.list ].forEach( function ( part ) {
			panel.root.appendChild( part );
		} );
		box.closest( 'form' ).insertBefore( this.root, box.closest( 'form' ).firstChild );
	}

	Panel.prototype.text = function () {
		return this.box.textSelection( 'getContents' );
	};

	/* Ask for the links of the text as it is now, and show them. */
	Panel.prototype.suggest = function ( note ) {
		var panel = this,
			text = this.text(),
			title = mw.config.get( 'wgPageName' ),
			path = '/v1/linkrecommendations/wikipedia/' +
				encodeURIComponent( settings.wiki || location.host ) + '/' + encodeURIComponent( title ) +
				'?threshold=' + settings.threshold + '&max_recommendations=' + settings.most;
		this.status.textContent = say( 'asking' );
		return ask( path, {
			pageid: mw.config.get( 'wgArticleId' ),
			revid: mw.config.get( 'wgCurRevisionId' ),
			wikitext: text
		} ).then( function ( found ) {
			panel.show( text, found.links, note );
		}, function ( error ) {
			panel.status.textContent = say( 'failed', error.message );
		} );
	};

	Panel.prototype.show = function ( text, links, note ) {
		var panel = this;
		this.basis = text;
		this.links = links.map( function ( link ) {
			return {
				words: link.link_text,
				target: link.link_target,
				at: unitOffset( text, link.wikitext_offset ),
				score: link.score,
				reasons: link.reasons || []
			};
		} );
		this.list.textContent = '';
		this.links.forEach( function ( link ) {
			panel.list.appendChild( panel.row( link ) );
		} );
		this.status.textContent = ( note ? note + ' ' : '' ) +
			( links.length ? say( 'found', links.length ) : say( 'none' ) );
	};

	Panel.prototype.row = function ( link ) {
		var panel = this,
			row = element( 'li', '', { 'data-target': link.target } ),
			accept = element( 'button', say( 'accept' ), { type: 'button', class: 'wikibot-accept' } ),
			dismiss = element( 'button', say( 'dismiss' ), { type: 'button', class: 'wikibot-dismiss' } ),
			target = element( 'a', link.target, { href: mw.util.getUrl( link.target ), target: '_blank' } );
		accept.setAttribute( 'aria-label', say( 'accept' ) + ': ' + link.words + ' → ' + link.target );
		dismiss.setAttribute( 'aria-label', say( 'dismiss' ) + ': ' + link.words + ' → ' + link.target );
		accept.addEventListener( 'click', function () {
			panel.accept( link, row );
		} );
		dismiss.addEventListener( 'click', function () {
			panel.dismiss( link, row );
		} );
		row.appendChild( element( 'strong', link.words ) );
		row.appendChild( document.createTextNode( ' → ' ) );
		row.appendChild( target );
		row.appendChild( document.createTextNode( ' (' + Math.round( 100 * link.score ) + ' %) ' ) );
		row.appendChild( accept );
		row.appendChild( document.createTextNode( ' ' ) );
		row.appendChild( dismiss );
		row.appendChild( element( 'div', link.reasons.join( '; ' ), { style: 'font-size: smaller;' } ) );
		return row;
	};

	Panel.prototype.remove = function ( link, row ) {
		this.links.splice( this.links.indexOf( link ), 1 );
		row.remove();
	};

	/* The link stands in the edit box; if its text has changed meanwhile, suggestions are made anew. */
	Panel.prototype.accept = function ( link, row ) {
		var text = this.text(),
			end = link.at + link.words.length,
			written = markup( link.words, link.target ),
			grown = written.length - link.words.length;
		if ( text !== this.basis || text.slice( link.at, end ) !== link.words ) {
			this.suggest( say( 'renewed' ) );
			return;
		}
		this.basis = text.slice( 0, link.at ) + written + text.slice( end );
		this.box.textSelection( 'setContents', this.basis );
		this.links.forEach( function ( other ) {
			other.at += other.at > link.at ? grown : 0;
		} );
		this.remove( link, row );
		this.status.textContent = say( 'accepted', link.target );
	};

	/* The link leaves the queue for good, as if it had been rejected on the review page. */
	Panel.prototype.dismiss = function ( link, row ) {
		var panel = this;
		this.remove( link, row );
		ask( '/v1/decisions', {
			page: mw.config.get( 'wgPageName' ),
			target: link.target,
			verdict: 'reject',
			user: mw.config.get( 'wgUserName' ) || '',
			wiki: settings.wiki,
			wikitext: this.basis
		} ).then( function () {
			panel.status.textContent = say( 'dismissed', link.target );
		}, function ( error ) {
			panel.status.textContent = say( 'local', link.target, error.message );
		} );
	};

	if ( settings.api && mw.config.get( 'wgNamespaceNumber' ) === 0 &&
		[ 'edit', 'submit' ].indexOf( mw.config.get( 'wgAction' ) ) !== -1 ) {
		mw.loader.using( [ 'jquery.textSelection', 'mediawiki.storage', 'mediawiki.util' ] ).then( function () {
			$( function () {
				var box = document.getElementById( 'wpTextbox1' );
				if ( box && !document.getElementById( 'wikibot-gadget' ) ) {
					new Panel( box ).suggest( '' );
				}
			} );
		} );
	}
}() );
