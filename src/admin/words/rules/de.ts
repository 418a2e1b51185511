import type { Rules } from './en.ts'

export const rules: Rules = {
  required: 'Diese Angabe fehlt.',
  string: 'Hier wird Text erwartet.',
  length: (least, most, count) => `Erlaubt sind ${least} bis ${most} Zeichen (derzeit ${count}).`,
  wellFormed: 'Ein Zeichen ist nur zur Hälfte da, also ist der Text kein gültiges Unicode.',
  oneLine:
    'Erlaubt ist eine Zeile ohne Steuerzeichen und ohne Zeichen, die die Schreibrichtung ändern.',
  visible: 'Mindestens ein Zeichen muss sichtbar sein.',
  type: (types) => `Möglich sind nur: ${types}.`,

  unseen:
    'Ein Link hat weder Leerzeichen noch unsichtbare Zeichen. Schreiben Sie stattdessen einen Bindestrich oder %20.',
  backslash: 'Schreiben Sie / statt \\.',
  url: 'Diese Adresse kann kein Browser öffnen. Kopieren Sie sie aus dem Browser, etwa https://example.com/sale.',
  scheme: 'Eine Adresse beginnt mit https://, etwa https://example.com/sale.',
  reference:
    'Ein Link führt zu einer Seite: über eine Adresse, die mit https:// beginnt, oder einen Pfad wie /sale.',
  icon: (least, most) =>
    `Erlaubt sind ${least} bis ${most} Buchstaben, Ziffern und Bindestriche: der Name eines Lucide-Symbols.`,

  instant: 'Das liegt vor 1970. Schreiben Sie das Jahr vollständig, etwa 2027.',
  future: 'Der Zeitpunkt muss in der Zukunft liegen.',
  afterStart: 'Das Ende muss nach dem Beginn liegen.',
  full: (most) =>
    `Es sind bereits ${most} Ankündigungen geplant. Warten Sie, bis eine davon erscheint, oder entfernen Sie eine.`,

  byLanguage: 'Erwartet wird ein Objekt mit einem Text je Sprache: { "de": "…" }',
  tag: 'Diese Sprache gibt es nicht. Wählen Sie eine aus der Liste oder schreiben Sie ein Kürzel, etwa fr für Französisch.',
  sameLanguage: (tag) => `Diese Sprache ist schon angegeben: ${tag}.`,
  languages: (most, count) => `Erlaubt sind höchstens ${most} Sprachen (derzeit ${count}).`,
  bytes: (most, count) =>
    `Mit dem Text zusammen sind höchstens ${most} Byte UTF-8 erlaubt (derzeit ${count}).`,
  unknown: 'Dieses Feld gibt es hier nicht.',

  noIcon: (name) => `Es gibt kein Symbol „${name}“, deshalb erscheint der Stern.`,
  noSlash:
    'Dem Link fehlt der Schrägstrich am Anfang, deshalb führt er von jeder Seite aus woandershin. Beginnen Sie ihn mit / oder https://.',
  credentials: 'Im Link steht vor dem Host ein Name oder Passwort, das jeder Besucher lesen kann.',
  percent:
    'Im Link steht ein %, das viele Server ablehnen. Schreiben Sie ein Prozentzeichen als %25.',
  noLanguage: (tag) =>
    `Niemand bekommt den Text für „${tag}“ zu sehen, weil keine Sprache dieses Kürzel hat. Wählen Sie eines aus der Liste, etwa fr für Französisch.`,
  tooLong: (letters) =>
    `Der Text ist länger als die Leiste auf einem großen Bildschirm (etwa ${letters} Buchstaben), deshalb wird sein Ende abgeschnitten.`,
  tooLongIn: (tag, letters) =>
    `Der Text für ${tag} ist länger als die Leiste auf einem großen Bildschirm (etwa ${letters} Buchstaben), deshalb wird sein Ende abgeschnitten.`,
}
