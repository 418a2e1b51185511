import type { ConflictWords, FaultWords } from './en.ts'

export const conflict: ConflictWords = {
  gone: 'Was Sie bearbeiten, gibt es nicht mehr.',
  changed: 'Was Sie bearbeiten, wurde inzwischen geändert.',
  other:
    'Seit Sie zu schreiben begonnen haben, ist eine andere Ankündigung dieses Typs erschienen.',
  asNew: 'Ihr Entwurf würde eine neue Ankündigung.',
  instead: 'Ihr Entwurf würde sie ersetzen.',
  discard: 'Meinen Entwurf verwerfen',
  publish: 'Als neue veröffentlichen',
  schedule: 'Als neue planen',
}

export const faults: FaultWords = {
  about: (field) => `${field}:`,
  title: 'Das geht so noch nicht',
  unknown: 'Etwas ist schiefgegangen. Warum, steht im Log des Dienstes.',
  unavailable:
    'Der Dienst erreicht seine Datenbank gerade nicht. Nichts ist verloren: Versuchen Sie es noch einmal.',
  tooMany: (seconds) =>
    `Zu viele Änderungen auf einmal. Versuchen Sie es in ${seconds} s noch einmal.`,
  gone: 'Das gibt es nicht mehr.',
  undoChanged: 'Es lässt sich nicht rückgängig machen: Dort hat sich seitdem etwas geändert.',
  undoRefused: (why) =>
    `Es lässt sich nicht rückgängig machen: Die Kasse würde den Gutschein ablehnen. ${why}`,
  session:
    'Sie sind abgemeldet. Melden Sie sich an, um fortzufahren. Ihre Eingaben wurden nicht gespeichert.',
  signedOut:
    'Sie sind abgemeldet. Ihre Eingaben sind noch da: Melden Sie sich in einem anderen Tab an und machen Sie dann hier weiter.',
  unsent:
    'Der Dienst war nicht erreichbar. Deshalb wurde nichts veröffentlicht oder geändert. Ihre Eingaben sind noch da: Versuchen Sie es noch einmal.',
  unsure:
    'Die Antwort des Dienstes ist ausgeblieben. Deshalb ist nicht bekannt, ob dies veröffentlicht wurde. Ihre Eingaben sind noch da: Sehen Sie unter Jetzt und Demnächst nach, bevor Sie es noch einmal versuchen.',
  away: 'Der Dienst ist nicht erreichbar. Was hier steht, kann veraltet sein.',
  unreached:
    'Der Dienst war nicht erreichbar. Deshalb wurde nichts geändert. Versuchen Sie es noch einmal.',
  foreign: 'Diese Anfrage kam nicht von dieser Seite.',
  skipped: (a, b) =>
    `Diese Uhrzeit gibt es nicht, weil die Uhren vorgestellt werden. Nehmen Sie ${a} oder ${b}.`,
  twice: 'Diese Uhrzeit gibt es zweimal, weil die Uhren zurückgestellt werden. Welche ist gemeint?',
  unreadable: 'Geben Sie ein Datum und eine Uhrzeit ein.',
  zone: 'Diese Zeitzone gibt es nicht. Verwenden Sie einen Namen wie Europe/Berlin.',
}
