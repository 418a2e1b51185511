import type { ConflictWords, FaultWords } from './en.ts'

export const conflict: ConflictWords = {
  gone: 'Ce que vous modifiez n’existe plus.',
  changed: 'Ce que vous modifiez a changé entre-temps.',
  other: 'Depuis que vous avez commencé à écrire, une autre annonce de ce type a été publiée.',
  asNew: 'Votre texte deviendrait une nouvelle annonce.',
  instead: 'Votre texte la remplacerait.',
  discard: 'Abandonner mon texte',
  publish: 'Publier comme nouvelle',
  schedule: 'Programmer comme nouvelle',
}

export const faults: FaultWords = {
  about: (field) => `${field} :`,
  title: 'Ce n’est pas encore possible',
  unknown: 'Une erreur s’est produite. Le journal du service en donne la raison.',
  unavailable:
    'Le service n’arrive pas à joindre sa base de données. Rien n’est perdu : réessayez.',
  tooMany: (seconds) => `Trop de modifications à la fois. Réessayez dans ${seconds} s.`,
  gone: 'Cela n’existe plus.',
  undoChanged: 'Annulation impossible : autre chose y a changé depuis.',
  undoRefused: (why) =>
    `Annulation impossible : ce bon de réduction serait refusé au paiement. ${why}`,
  session:
    'Votre session est terminée. Connectez-vous pour continuer. Votre saisie n’a pas été enregistrée.',
  signedOut:
    'Votre session est terminée. Votre saisie est toujours là. Connectez-vous dans un autre onglet, puis continuez ici.',
  unsent:
    'Le service était injoignable. Rien n’a été publié ni modifié. Votre saisie est toujours là : réessayez.',
  unsure:
    'La réponse du service n’est pas arrivée. On ne sait donc pas si ceci est publié. Votre saisie est toujours là : regardez sous Maintenant et À venir avant de réessayer.',
  away: 'Le service est injoignable. Ce qui s’affiche ici n’est peut-être plus à jour.',
  unreached: 'Le service était injoignable. Rien n’a été modifié : réessayez.',
  foreign: 'Cette requête ne vient pas de cette page.',
  skipped: (a, b) =>
    `Cette heure n’existe pas, car les horloges avancent. Choisissez ${a} ou ${b}.`,
  twice: 'Cette heure revient deux fois, car les horloges reculent. Laquelle choisir ?',
  unreadable: 'Indiquez une date et une heure.',
  zone: 'Ce fuseau horaire n’existe pas. Utilisez un nom comme Europe/Berlin.',
}
