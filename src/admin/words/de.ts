import type { Words } from './en.ts'
import { conflict, faults } from './faults/de.ts'
import { rules } from './rules/de.ts'

export const de: Words = {
  tag: 'de',
  name: 'Deutsch',
  dir: 'ltr',

  nav: { announcement: 'Ankündigung', history: 'Verlauf', site: 'Auf Ihrer Website' },
  signOut: 'Abmelden',
  skip: 'Zum Inhalt springen',
  languages: 'Sprachen',

  signIn: {
    title: 'Anmelden',
    how: 'Führen Sie diesen Befehl dort aus, wo das API-Secret des Dienstes vorliegt, und öffnen Sie den Link, den er ausgibt:',
    busy: 'Sie werden angemeldet …',
    secret: 'Oder mit dem API-Secret',
    submit: 'Anmelden',
    wrongSecret: 'Das ist nicht das Secret dieses Dienstes.',
    usedCode:
      'Dieser Link wurde schon verwendet, ist älter als zehn Minuten oder unvollständig. Erzeugen Sie einen neuen.',
    tooMany: (seconds) => `Zu viele Versuche. Versuchen Sie es in ${seconds} s noch einmal.`,
  },

  types: { coupon: 'Gutschein', post: 'Beitrag', product: 'Produkt' },

  compose: {
    title: 'Neue Ankündigung',
    editing: 'Geplante Ankündigung bearbeiten',
    editingUp: 'Aktuelle Ankündigung bearbeiten',
    text: 'Text',
    type: 'Typ',
    typeNote: 'Sie tritt an die Stelle der Ankündigung desselben Typs.',
    link: 'Link',
    linkNote: 'Eine Seite Ihrer Website, etwa /sale, oder eine vollständige Adresse',
    linkMeant: (link) => `Meinten Sie ${link}?`,
    linkLeads: 'Er führt zu',
    linkPage: (link) => `der Seite ${link} Ihrer eigenen Website`,
    icon: 'Symbol',
    iconNote: 'Suchen Sie mit einem englischen Wort, etwa „gift“. Ohne Angabe: der Stern.',
    noIcons: 'Kein Symbol heißt so.',
    when: 'Zeitraum',
    from: 'Ab',
    fromNote: 'Leer: sofort',
    until: 'Bis',
    untilNote: 'Leer: bis Sie sie zurückziehen',
    zone: 'Zeitzone',
    translations: 'Weitere Sprachen',
    language: 'Sprache',
    languageNote: 'Aus der Liste, oder ein Kürzel wie fr oder pt-BR',
    translation: 'Text in dieser Sprache',
    addLanguage: 'Sprache hinzufügen',
    removeLanguage: 'Diese Sprache entfernen',
    chooseLanguage: 'Wählen Sie eine Sprache.',
    publish: 'Veröffentlichen',
    schedule: 'Planen',
    save: 'Speichern',
    preview: 'Vorschau',
    cancel: 'Abbrechen',
    length: (count) => `${count} von 500`,
  },

  preview: {
    title: 'Vorschau',
    light: 'Hell',
    dark: 'Dunkel',
    desktop: '1280 px',
    phone: '360 px',
    caption: (theme, width) => `${theme}, ${width}`,
    original: 'Original',
    rightToLeft: 'Von rechts nach links',
    reduced: 'Weniger Bewegung',
    empty: 'Schreiben Sie einen Text, um ihn hier zu sehen.',
    cut: 'Abgeschnitten nach „\u2068{text}\u2069“',
    replaces: {
      coupon: 'Sie ersetzt den aktuellen Gutschein:',
      post: 'Sie ersetzt den aktuellen Beitrag:',
      product: 'Sie ersetzt das aktuelle Produkt:',
    },
    replacesThen: {
      coupon: 'Zu Beginn ersetzt sie den Gutschein:',
      post: 'Zu Beginn ersetzt sie den Beitrag:',
      product: 'Zu Beginn ersetzt sie das Produkt:',
    },
    outlives:
      'Nach dem Veröffentlichen bleibt sie stehen, auch wenn der Stripe-Gutschein aufgebraucht ist. Ziehen Sie sie dann selbst zurück.',
    atOnce: 'Sie erscheint sofort.',
    starts: (when) => `Beginnt am ${when}`,
    ends: (when) => `Endet am ${when}`,
  },

  now: {
    title: 'Jetzt',
    empty: 'Derzeit ist nichts zu sehen.',
    emptyHint: 'Veröffentlichen Sie eine Ankündigung, und jede danach geöffnete Seite zeigt sie.',
    shows: 'Ist zu sehen, weil sie die neueste ist.',
    showsAlone: 'Ist zu sehen. Es ist die einzige.',
    waits: {
      coupon: 'Wartet, weil der Gutschein neuer ist.',
      post: 'Wartet, weil der Beitrag neuer ist.',
      product: 'Wartet, weil das Produkt neuer ist.',
    },
    none: 'Von diesem Typ gibt es derzeit keine.',
    since: 'Seit',
    until: 'Bis',
    languages: 'Sprachen',
    takeDown: 'Zurückziehen',
    stripe: (id) => `Stripe-Gutschein ${id}`,
    unfeatured:
      'Sie bleibt stehen, wenn Sie isFeatured in Stripe entfernen. Ziehen Sie sie hier zurück.',
  },

  next: {
    title: 'Demnächst',
    none: 'Nichts ist geplant, und nichts endet.',
    starts: 'Beginnt am',
    edit: 'Bearbeiten',
    remove: 'Entfernen',
    at: 'Das sehen Besucher zu diesem Zeitpunkt',
    look: 'Ansehen',
    nothing: 'Nichts',
  },

  history: {
    title: 'Verlauf',
    empty: 'Bisher ist nichts geschehen.',
    older: 'Ältere',
    newest: 'Neueste',
    actions: {
      published: 'Veröffentlicht',
      replaced: 'Ersetzt',
      scheduled: 'Geplant',
      started: 'Begonnen',
      withdrawn: 'Zurückgezogen',
      unscheduled: 'Aus dem Zeitplan entfernt',
      ended: 'Beendet',
      ignored: 'Ignoriert',
    },
    via: {
      api: 'über die API',
      cli: 'auf der Kommandozeile',
      admin: 'im Admin-Bereich',
      code: 'durch den Code der Website',
      stripe: 'durch Stripe',
    },
    by: (name) => `von ${name}`,
    before: 'Vorher',
    after: 'Nachher',
    undoes: (entry) => `Macht Eintrag ${entry} rückgängig.`,
    undo: 'Rückgängig machen',
    undoSure: {
      back: 'Das kommt zurück:',
      gone: 'Das verschwindet:',
    },
    noUndo: {
      undone: 'Rückgängig gemacht',
      changed_since: 'Seitdem geändert',
      ended: 'Zeitraum vorbei',
      full: 'Der Zeitplan ist voll',
      refused: 'Die Kasse würde ihn ablehnen',
    },
    restore: 'Als Entwurf verwenden',
    because: (reason) => `Grund: ${reason}`,
    reasons: {
      not_featured:
        'Der Gutschein soll nicht angekündigt werden: In seinen Metadaten fehlt isFeatured=true.',
      stale: 'Sie kam zu spät: Eine neuere Benachrichtigung war schon wirksam.',
      coupon_expired: 'Der Gutschein ist abgelaufen.',
      coupon_not_valid: 'Laut Stripe lässt sich der Gutschein nicht mehr einlösen.',
      coupon_used_up: 'Der Gutschein ist aufgebraucht.',
      coupon_deleted: 'Der Gutschein ist gelöscht.',
      no_displayable_text:
        'Der Gutschein hat weder einen Namen noch einen Rabatt, der sich anzeigen lässt.',
      malformed: 'Die Benachrichtigung enthält keinen lesbaren Gutschein.',
    },
    notification: (id) => `Stripe-Benachrichtigung ${id}`,
  },

  site: {
    title: 'Auf Ihrer Website',
    lead: 'Setzen Sie die Leiste ein, wo sie hingehört. Ihr Platz bleibt frei, und sie zeigt jede Änderung.',
    onlyHere: (url) =>
      `Andere Rechner erreichen ${url} nicht. Setzen Sie PUBLIC_URL auf die öffentliche Adresse, in der Umgebung des Dienstes oder in seiner Datei .env, und starten Sie ihn neu.`,
    flow: 'Beliebige Seite',
    flowNote: 'An der Stelle Ihres HTML, an der die Leiste stehen soll:',
    float: 'Schwebend',
    floatNote: 'Mit dem Tag allein schwebt die Leiste am unteren Fensterrand:',
    strict: 'Mit strenger Content-Security-Policy',
    strictNote:
      'Lassen Sie diesen Dienst als Quelle zu, und reservieren Sie dem Element in Ihrem eigenen Stylesheet seinen Platz:',
    next: 'Next.js, React und andere',
    nextNote:
      'Die Anleitungen liegen im Ordner docs des Repositorys: next.md, serverless.md, frameworks.md, embed.md.',
    command: 'Auf der Kommandozeile',
    http: 'Über HTTP',
    httpNote:
      'EVENT_API_SECRET ist das API-Secret. Hat der Dienst es selbst erzeugt, liest dies es aus: EVENT_API_SECRET=$(cat data/event-api-secret)',
    stripe: 'Aus Stripe',
    stripeNote:
      'Senden Sie Gutschein-Benachrichtigungen an diese Adresse, und fügen Sie einem Gutschein diese Metadaten hinzu. Er wird angekündigt, sobald er gespeichert ist.',
    copy: 'Kopieren',
    copied: 'Kopiert',
  },

  done: {
    published: 'Veröffentlicht. Jede Seite, die ab jetzt geöffnet wird, zeigt die Ankündigung.',
    scheduled: 'Geplant.',
    withdrawn: 'Zurückgezogen.',
    unscheduled: 'Aus dem Zeitplan entfernt.',
    undone: 'Rückgängig gemacht.',
    nothing: 'Es war schon nicht mehr da.',
    useless:
      'Dieser Link nützt nichts mehr: Er wurde schon verwendet, ist älter als zehn Minuten oder unvollständig. Sie sind trotzdem angemeldet.',
  },

  conflict,
  faults,
  rules,
}
