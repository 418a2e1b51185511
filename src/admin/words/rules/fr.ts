import type { Rules } from './en.ts'

export const rules: Rules = {
  required: 'Ce champ est obligatoire.',
  string: 'Un texte est attendu ici.',
  length: (least, most, count) =>
    `Il faut de ${least} à ${most} caractères (actuellement : ${count}).`,
  wellFormed: 'Il manque la moitié d’un caractère : ce n’est pas un texte Unicode valide.',
  oneLine:
    'Il faut une seule ligne, sans caractère de contrôle ni caractère qui change le sens de lecture.',
  visible: 'Au moins un caractère doit être visible.',
  type: (types) => `Valeurs possibles : ${types}.`,

  unseen:
    'Les espaces et les caractères de contrôle ou invisibles ne sont pas admis. Encodez-les, par exemple en %20.',
  backslash: 'La barre oblique inverse n’est pas admise.',
  url: 'Cette URL n’est pas valide.',
  scheme: 'Il manque le protocole : https://host/path',
  reference:
    'Un lien mène à une page : une adresse qui commence par https://, ou un chemin comme /sale.',
  icon: (least, most) =>
    `Il faut de ${least} à ${most} lettres, chiffres et traits d’union : le nom d’une icône Lucide.`,

  instant: 'Cette date est antérieure à 1970. Écrivez l’année en entier, comme 2027.',
  future: 'Cette date doit être dans le futur.',
  afterStart: 'La fin doit être postérieure au début.',
  full: (most) =>
    `${most} annonces sont déjà programmées. Attendez que l’une d’elles commence ou supprimez-en une.`,

  byLanguage: 'Il faut un objet avec un texte par langue : { "de": "…" }',
  tag: (most) =>
    `Ce n’est pas un code de langue (BCP 47) de ${most} caractères au plus, comme « de » ou « pt-BR ».`,
  sameLanguage: (tag) => `Cette langue figure déjà dans la liste : ${tag}.`,
  languages: (most, count) => `Il faut au plus ${most} langues (actuellement : ${count}).`,
  bytes: (most, count) =>
    `Avec le texte, il faut au plus ${most} octets en UTF-8 (actuellement : ${count}).`,
  unknown: 'Ce champ n’existe pas ici.',

  noIcon: (name) => `L’icône « ${name} » n’existe pas : l’étincelle s’affiche à sa place.`,
  noSlash:
    'Le lien ne commence pas par / : il mène ailleurs depuis chaque page. Commencez-le par / ou https://.',
  noLanguage: (tag) =>
    `Aucune langue n’a le code « ${tag} » : personne ne verra ce texte. Utilisez un code comme de ou pt-BR.`,
  tooLong: (letters) =>
    `Le texte est plus long que la barre sur un grand écran (environ ${letters} lettres) : sa fin est coupée.`,
  tooLongIn: (tag, letters) =>
    `Le texte pour ${tag} est plus long que la barre sur un grand écran (environ ${letters} lettres) : sa fin est coupée.`,
}
