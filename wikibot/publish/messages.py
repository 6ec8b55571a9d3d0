"""What the bot says on the wiki, in the wiki's language; English where it has no translation.

A text of a wiki is read by its community, so everything that ends up in a summary or on a talk
page comes from this table. `{...}` is filled in, `<code>` and `<nowiki>` are the wiki's own.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Messages:
    """The sentences of one language; `yes` and `no` start with the word that we ask for.

    The three marks begin the line of a decided proposal; they are signs, not templates, since
    {{yes}} and {{no}} are cells of a table on many wikis.
    """

    heading: str
    intro: str
    switch_off: str
    closed: str
    line_in: str
    approved_by: str
    rejected_by: str
    withdrawn: str
    added: str
    approved: str
    assisted: str
    proposed: str
    answered: str
    worklist: str
    taken_back: str
    stop: str
    task: str
    ideas_heading: str
    ideas_intro: str
    idea_line: str
    yes: tuple[str, ...]
    no: tuple[str, ...]
    approved_mark: str = "✓"
    rejected_mark: str = "✗"
    withdrawn_mark: str = "–"
    task_link: str = ""  # in summaries, where the operator has named the task's page


def messages(language: str) -> Messages:
    """The sentences for a wiki's language code.

    >>> messages("de-at").stop
    'Not-Aus'
    """
    return TABLE.get(language) or TABLE.get(language.partition("-")[0]) or TABLE["en"]


# Marks that are understood whatever the language.
YES_SIGNS = frozenset(("+", "✓", "✔", "✅", "☑", "ok"))
NO_SIGNS = frozenset(("-", "−", "✗", "✘", "❌", "☒"))
# Templates that wikis in any language know; the words of the wiki's own count as templates too.
YES_TEMPLATES = frozenset(("yes", "done", "approved", "support", "tick", "aye", "y"))
NO_TEMPLATES = frozenset(
    ("no", "not done", "notdone", "rejected", "declined", "oppose", "cross", "nay", "n")
)

TABLE = {
    "en": Messages(
        heading="Link suggestions",
        intro="[[User:{bot}|{bot}]] proposes these links: by the links that this wiki already has, they seem "
        "to be missing ([[{task}|about the task]]). Please decide each line: replace <code>[ ]</code> by "
        "<code>[{yes}]</code> or <code>[{no}]</code>, or by <code>[+]</code> or <code>[-]</code>. A reason "
        "may follow: <code>[{no}: reason]</code>. The bot adds approved links to the article.",
        switch_off="To switch these suggestions off on this page, put "
        "<nowiki>{{bots|optout=all}}</nowiki> on it. To stop the bot, edit [[{page}]].",
        closed="All suggestions of this section have been decided. Thank you!",
        line_in="{anchor} → {target} in: {sentence}",
        approved_by="approved by {user}",
        rejected_by="rejected by {user}",
        withdrawn="no longer fits the article",
        added="Links added: {targets}",
        approved="approved by {users}",
        assisted="assisted by wikibot",
        proposed="Link suggestions for this article",
        answered="Link suggestions: answers noted",
        worklist="List of link suggestions",
        taken_back="Links taken back: {targets}",
        stop="stop",
        task="task",
        ideas_heading="Ideas for links",
        ideas_intro="No page links to these pages yet. A few words about them would fit after the quoted "
        "sentences. Please decide each line: replace <code>[ ]</code> by <code>[{yes}]</code> if you "
        "write them, or by <code>[{no}]</code>. The bot writes no such words itself.",
        idea_line="{page}: words about {target} after: {sentence}",
        yes=("yes", "approved", "approve"),
        no=("no", "rejected", "reject"),
    ),
    "de": Messages(
        heading="Vorschläge für Links",
        intro="[[User:{bot}|{bot}]] schlägt diese Links vor: Nach den vorhandenen Links dieses Wikis fehlen "
        "sie wohl ([[{task}|über die Aufgabe]]). Bitte über jede Zeile entscheiden: <code>[ ]</code> durch "
        "<code>[{yes}]</code> oder <code>[{no}]</code> ersetzen, oder durch <code>[+]</code> oder "
        "<code>[-]</code>. Gern mit Grund: <code>[{no}: Grund]</code>. Angenommene Links trägt der Bot ein.",
        switch_off="Wer hier keine Vorschläge möchte, setzt <nowiki>{{bots|optout=all}}</nowiki> "
        "auf diese Seite. Um den Bot anzuhalten, bitte [[{page}]] bearbeiten.",
        closed="Über alle Vorschläge dieses Abschnitts ist entschieden. Danke!",
        line_in="{anchor} → {target} in: {sentence}",
        approved_by="angenommen von {user}",
        rejected_by="abgelehnt von {user}",
        withdrawn="passt nicht mehr zum Artikel",
        added="Links gesetzt: {targets}",
        approved="angenommen von {users}",
        assisted="mit Hilfe von wikibot",
        proposed="Vorschläge für Links in diesem Artikel",
        answered="Vorschläge für Links: Antworten vermerkt",
        worklist="Liste von Link-Vorschlägen",
        taken_back="Links zurückgenommen: {targets}",
        stop="Not-Aus",
        task="Aufgabe",
        ideas_heading="Ideen für Links",
        ideas_intro="Auf diese Seiten verweist noch keine andere. Nach den zitierten Sätzen würden ein paar Worte"
        " über sie passen. Bitte über jede Zeile entscheiden: <code>[ ]</code> durch "
        "<code>[{yes}]</code> ersetzen, wenn du sie schreibst, sonst durch <code>[{no}]</code>. Der "
        "Bot schreibt solche Worte nicht selbst.",
        idea_line="{page}: Worte über {target} nach: {sentence}",
        yes=("ja", "angenommen"),
        no=("nein", "abgelehnt"),
    ),
    "fr": Messages(
        heading="Suggestions de liens",
        intro="[[User:{bot}|{bot}]] propose ces liens : d’après les liens existants de ce wiki, ils semblent "
        "manquer ([[{task}|à propos de cette tâche]]). Merci de décider pour chaque ligne : remplacez "
        "<code>[ ]</code> par <code>[{yes}]</code> ou <code>[{no}]</code>, ou par <code>[+]</code> ou "
        "<code>[-]</code>. Une raison peut suivre : <code>[{no}: raison]</code>. Le robot ajoute à l’article "
        "les liens acceptés.",
        switch_off="Pour ne plus recevoir de suggestions sur cette page, ajoutez-y "
        "<nowiki>{{bots|optout=all}}</nowiki>. Pour arrêter le robot, modifiez [[{page}]].",
        closed="Toutes les suggestions de cette section ont été traitées. Merci !",
        line_in="{anchor} → {target} dans : {sentence}",
        approved_by="accepté par {user}",
        rejected_by="refusé par {user}",
        withdrawn="ne correspond plus à l’article",
        added="Liens ajoutés : {targets}",
        approved="acceptés par {users}",
        assisted="assisté par wikibot",
        proposed="Suggestions de liens pour cet article",
        answered="Suggestions de liens : réponses notées",
        worklist="Liste de suggestions de liens",
        taken_back="Liens retirés : {targets}",
        stop="arrêt",
        task="tâche",
        ideas_heading="Idées de liens",
        ideas_intro="Aucune page ne renvoie encore à ces pages. Quelques mots à leur sujet iraient bien après les"
        " phrases citées. Merci de décider pour chaque ligne : remplacez <code>[ ]</code> par "
        "<code>[{yes}]</code> si vous les écrivez, ou par <code>[{no}]</code>. Le robot n’écrit pas "
        "ces mots lui-même.",
        idea_line="{page} : des mots sur {target} après : {sentence}",
        yes=("oui", "accepté"),
        no=("non", "refusé"),
    ),
    "es": Messages(
        heading="Sugerencias de enlaces",
        intro="[[User:{bot}|{bot}]] propone estos enlaces: según los enlaces que ya tiene este wiki, parecen "
        "faltar ([[{task}|sobre la tarea]]). Por favor, decide sobre cada línea: cambia <code>[ ]</code> por "
        "<code>[{yes}]</code> o <code>[{no}]</code>, o por <code>[+]</code> o <code>[-]</code>. Puede seguir "
        "un motivo: <code>[{no}: motivo]</code>. El bot añade al artículo los enlaces aprobados.",
        switch_off="Para no recibir más sugerencias en esta página, pon en ella "
        "<nowiki>{{bots|optout=all}}</nowiki>. Para detener el bot, edita [[{page}]].",
        closed="Se ha decidido sobre todas las sugerencias de esta sección. ¡Gracias!",
        line_in="{anchor} → {target} en: {sentence}",
        approved_by="aprobado por {user}",
        rejected_by="rechazado por {user}",
        withdrawn="ya no encaja en el artículo",
        added="Enlaces añadidos: {targets}",
        approved="aprobados por {users}",
        assisted="asistido por wikibot",
        proposed="Sugerencias de enlaces para este artículo",
        answered="Sugerencias de enlaces: respuestas anotadas",
        worklist="Lista de sugerencias de enlaces",
        taken_back="Enlaces retirados: {targets}",
        stop="parar",
        task="tarea",
        ideas_heading="Ideas para enlaces",
        ideas_intro="Ninguna página enlaza aún a estas páginas. Unas palabras sobre ellas encajarían tras las "
        "frases citadas. Por favor, decide sobre cada línea: cambia <code>[ ]</code> por "
        "<code>[{yes}]</code> si las escribes, o por <code>[{no}]</code>. El bot no escribe esas "
        "palabras.",
        idea_line="{page}: palabras sobre {target} tras: {sentence}",
        yes=("sí", "si", "aprobado"),
        no=("no", "rechazado"),
    ),
    "it": Messages(
        heading="Proposte di collegamenti",
        intro="[[User:{bot}|{bot}]] propone questi collegamenti: secondo i collegamenti già presenti in questo "
        "wiki sembrano mancare ([[{task}|informazioni sul compito]]). Per favore decidi su ogni riga: "
        "sostituisci <code>[ ]</code> con <code>[{yes}]</code> o <code>[{no}]</code>, oppure con "
        "<code>[+]</code> o <code>[-]</code>. Può seguire un motivo: <code>[{no}: motivo]</code>. I "
        "collegamenti approvati sono inseriti dal bot.",
        switch_off="Per non ricevere proposte in questa pagina, inserisci "
        "<nowiki>{{bots|optout=all}}</nowiki>. Per fermare il bot, modifica [[{page}]].",
        closed="Tutte le proposte di questa sezione sono state decise. Grazie!",
        line_in="{anchor} → {target} in: {sentence}",
        approved_by="approvato da {user}",
        rejected_by="respinto da {user}",
        withdrawn="non corrisponde più alla voce",
        added="Collegamenti aggiunti: {targets}",
        approved="approvati da {users}",
        assisted="assistito da wikibot",
        proposed="Proposte di collegamenti per questa voce",
        answered="Proposte di collegamenti: risposte annotate",
        worklist="Elenco di proposte di collegamenti",
        taken_back="Collegamenti ritirati: {targets}",
        stop="ferma",
        task="compito",
        ideas_heading="Idee per collegamenti",
        ideas_intro="Nessuna pagina rimanda ancora a queste pagine. Qualche parola su di esse starebbe bene dopo "
        "le frasi citate. Per favore decidi su ogni riga: sostituisci <code>[ ]</code> con "
        "<code>[{yes}]</code> se la scrivi, oppure con <code>[{no}]</code>. Il bot non scrive queste "
        "parole.",
        idea_line="{page}: parole su {target} dopo: {sentence}",
        yes=("sì", "si", "approvato"),
        no=("no", "respinto"),
    ),
    "nl": Messages(
        heading="Voorstellen voor links",
        intro="[[User:{bot}|{bot}]] stelt deze links voor: volgens de bestaande links van deze wiki lijken ze "
        "te ontbreken ([[{task}|over deze taak]]). Beslis per regel: vervang <code>[ ]</code> door "
        "<code>[{yes}]</code> of <code>[{no}]</code>, of door <code>[+]</code> of <code>[-]</code>. Een reden "
        "mag volgen: <code>[{no}: reden]</code>. Goedgekeurde links worden door de bot geplaatst.",
        switch_off="Geen voorstellen meer op deze pagina? Zet er "
        "<nowiki>{{bots|optout=all}}</nowiki> op. Bewerk [[{page}]] om de bot te stoppen.",
        closed="Over alle voorstellen in deze sectie is beslist. Dank!",
        line_in="{anchor} → {target} in: {sentence}",
        approved_by="goedgekeurd door {user}",
        rejected_by="afgewezen door {user}",
        withdrawn="past niet meer bij het artikel",
        added="Links toegevoegd: {targets}",
        approved="goedgekeurd door {users}",
        assisted="geassisteerd door wikibot",
        proposed="Voorstellen voor links in dit artikel",
        answered="Voorstellen voor links: antwoorden verwerkt",
        worklist="Lijst van voorstellen voor links",
        taken_back="Links teruggenomen: {targets}",
        stop="stop",
        task="taak",
        ideas_heading="Ideeën voor links",
        ideas_intro="Nog geen pagina linkt naar deze pagina’s. Een paar woorden erover zouden passen na de "
        "aangehaalde zinnen. Beslis per regel: vervang <code>[ ]</code> door <code>[{yes}]</code> als"
        " je ze schrijft, of door <code>[{no}]</code>. De bot schrijft zulke woorden niet zelf.",
        idea_line="{page}: woorden over {target} na: {sentence}",
        yes=("ja", "goedgekeurd"),
        no=("nee", "afgewezen"),
    ),
    "pt": Messages(
        heading="Sugestões de ligações",
        intro="[[User:{bot}|{bot}]] propõe estas ligações: segundo as ligações que este wiki já tem, parecem "
        "faltar ([[{task}|sobre a tarefa]]). Decida, por favor, sobre cada linha: troque <code>[ ]</code> por "
        "<code>[{yes}]</code> ou <code>[{no}]</code>, ou por <code>[+]</code> ou <code>[-]</code>. Pode seguir "
        "um motivo: <code>[{no}: motivo]</code>. O robô acrescenta ao artigo as ligações aprovadas.",
        switch_off="Para não receber sugestões nesta página, ponha nela "
        "<nowiki>{{bots|optout=all}}</nowiki>. Para parar o robô, edite [[{page}]].",
        closed="Todas as sugestões desta secção foram decididas. Obrigado!",
        line_in="{anchor} → {target} em: {sentence}",
        approved_by="aprovado por {user}",
        rejected_by="rejeitado por {user}",
        withdrawn="já não se ajusta ao artigo",
        added="Ligações acrescentadas: {targets}",
        approved="aprovadas por {users}",
        assisted="assistido por wikibot",
        proposed="Sugestões de ligações para este artigo",
        answered="Sugestões de ligações: respostas anotadas",
        worklist="Lista de sugestões de ligações",
        taken_back="Ligações retiradas: {targets}",
        stop="parar",
        task="tarefa",
        ideas_heading="Ideias para ligações",
        ideas_intro="Nenhuma página liga ainda a estas páginas. Algumas palavras sobre elas caberiam após as "
        "frases citadas. Decida, por favor, sobre cada linha: troque <code>[ ]</code> por "
        "<code>[{yes}]</code> se as escrever, ou por <code>[{no}]</code>. O robô não escreve essas "
        "palavras.",
        idea_line="{page}: palavras sobre {target} após: {sentence}",
        yes=("sim", "aprovado"),
        no=("não", "nao", "rejeitado"),
    ),
}
