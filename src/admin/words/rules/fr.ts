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
    'Un lien n’a ni espace ni caractère invisible. Écrivez un trait d’union ou %20 à la place.',
  backslash: 'Écrivez / au lieu de \\.',
  url: 'Aucun navigateur ne peut ouvrir cette adresse. Copiez-la depuis le navigateur, par exemple https://example.com/sale.',
  scheme: 'Une adresse commence par https://, par exemple https://example.com/sale.',
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
  tag: 'Cette langue n’existe pas. Choisissez-en une dans la liste ou écrivez un code, comme es pour l’espagnol.',
  sameLanguage: (tag) => `Cette langue figure déjà dans la liste : ${tag}.`,
  languages: (most, count) => `Il faut au plus ${most} langues (actuellement : ${count}).`,
  bytes: (most, count) =>
    `Avec le texte, il faut au plus ${most} octets en UTF-8 (actuellement : ${count}).`,
  unknown: 'Ce champ n’existe pas ici.',

  noIcon: (name) => `L’icône « ${name} » n’existe pas : l’étincelle s’affiche à sa place.`,
  noSlash:
    'Le lien ne commence pas par / : il mène ailleurs depuis chaque page. Commencez-le par / ou https://.',
  credentials:
    'Le lien contient, avant l’hôte, un nom ou un mot de passe que chaque visiteur peut lire.',
  percent:
    'Le lien contient un % que beaucoup de serveurs refusent. Écrivez le signe pour cent %25.',
  noLanguage: (tag) =>
    `Personne ne verra le texte pour « ${tag} », car aucune langue n’a ce code. Choisissez-en un dans la liste, comme es pour l’espagnol.`,
  tooLong: (letters) =>
    `Le texte est plus long que la barre sur un grand écran (environ ${letters} lettres) : sa fin est coupée.`,
  tooLongIn: (tag, letters) =>
    `Le texte pour ${tag} est plus long que la barre sur un grand écran (environ ${letters} lettres) : sa fin est coupée.`,
}
