import type { Words } from './en.ts'
import { rules } from './rules/fr.ts'

export const fr: Words = {
  tag: 'fr',
  name: 'Français',
  dir: 'ltr',

  nav: { announcement: 'Annonce', history: 'Historique', site: 'Sur votre site' },
  signOut: 'Se déconnecter',
  skip: 'Aller au contenu',
  languages: 'Langues',

  signIn: {
    title: 'Se connecter',
    how: 'Exécutez cette commande là où la clé secrète de l’API du service est disponible, puis ouvrez le lien qu’elle affiche :',
    busy: 'Connexion en cours…',
    secret: 'Ou utilisez la clé secrète de l’API',
    submit: 'Se connecter',
    wrongSecret: 'Ce n’est pas la clé secrète de ce service.',
    usedCode:
      'Ce lien a déjà servi, date de plus de dix minutes ou est incomplet. Créez-en un autre.',
    tooMany: (seconds) => `Trop de tentatives. Réessayez dans ${seconds} s.`,
  },

  types: { coupon: 'Bon de réduction', post: 'Article', product: 'Produit' },

  compose: {
    title: 'Nouvelle annonce',
    editing: 'Modifier une annonce programmée',
    editingUp: 'Modifier l’annonce en cours',
    text: 'Texte',
    type: 'Type',
    typeNote: 'Elle prend la place de l’annonce du même type.',
    link: 'Lien',
    linkNote: 'Une page de votre site, comme /sale, ou une adresse complète',
    linkMeant: (link) => `Vouliez-vous dire ${link} ?`,
    icon: 'Icône',
    iconNote: 'Cherchez un mot anglais, comme « gift ». Sans icône : l’étincelle.',
    noIcons: 'Aucune icône ne porte ce nom.',
    when: 'Quand',
    from: 'À partir de',
    fromNote: 'Vide : tout de suite',
    until: 'Jusqu’à',
    untilNote: 'Vide : jusqu’à ce que vous la retiriez',
    zone: 'Fuseau horaire',
    translations: 'Autres langues',
    language: 'Langue',
    languageNote: 'Un code comme es ou pt-BR',
    translation: 'Texte dans cette langue',
    addLanguage: 'Ajouter une langue',
    removeLanguage: 'Retirer cette langue',
    chooseLanguage: 'Choisissez une langue.',
    publish: 'Publier',
    schedule: 'Programmer',
    save: 'Enregistrer',
    preview: 'Aperçu',
    cancel: 'Annuler',
    length: (count) => `${count} sur 500`,
  },

  preview: {
    title: 'Aperçu',
    light: 'Clair',
    dark: 'Sombre',
    desktop: '1280 px',
    phone: '360 px',
    caption: (theme, width) => `${theme}, ${width}`,
    original: 'Texte d’origine',
    rightToLeft: 'De droite à gauche',
    reduced: 'Animations réduites',
    empty: 'Écrivez un texte pour le voir ici.',
    cut: 'Coupé après « \u2068{text}\u2069 »',
    replaces: {
      coupon: 'Elle remplace le bon de réduction actuel :',
      post: 'Elle remplace l’article actuel :',
      product: 'Elle remplace le produit actuel :',
    },
    replacesThen: {
      coupon: 'À son début, elle remplace le bon de réduction :',
      post: 'À son début, elle remplace l’article :',
      product: 'À son début, elle remplace le produit :',
    },
    outlives:
      'Une fois publiée, elle reste affichée même si le bon de réduction Stripe est épuisé. Retirez-la alors vous-même.',
    atOnce: 'Elle s’affiche tout de suite.',
    starts: (when) => `Commence le ${when}`,
    ends: (when) => `Se termine le ${when}`,
  },

  now: {
    title: 'Maintenant',
    empty: 'Rien n’est affiché.',
    emptyHint: 'Publiez une annonce : toutes les pages ouvertes ensuite l’affichent.',
    shows: 'Affichée, car c’est la plus récente.',
    showsAlone: 'Affichée. C’est la seule.',
    waits: {
      coupon: 'En attente, car le bon de réduction est plus récent.',
      post: 'En attente, car l’article est plus récent.',
      product: 'En attente, car le produit est plus récent.',
    },
    none: 'Il n’y en a aucune de ce type.',
    since: 'Depuis le',
    until: 'Jusqu’au',
    languages: 'Langues',
    takeDown: 'Retirer',
    stripe: (id) => `Bon de réduction Stripe ${id}`,
    unfeatured: 'Si vous retirez isFeatured dans Stripe, l’annonce reste en place. Retirez-la ici.',
  },

  next: {
    title: 'À venir',
    none: 'Rien n’est programmé et rien ne se termine.',
    starts: 'Commence le',
    edit: 'Modifier',
    remove: 'Supprimer',
    at: 'Ce que les visiteurs verront à ce moment',
    look: 'Voir',
    nothing: 'Rien',
  },

  history: {
    title: 'Historique',
    empty: 'Il ne s’est encore rien passé.',
    older: 'Plus anciens',
    newest: 'Plus récents',
    actions: {
      published: 'Publiée',
      replaced: 'Remplacée',
      scheduled: 'Programmée',
      started: 'Commencée',
      withdrawn: 'Retirée',
      unscheduled: 'Retirée de la programmation',
      ended: 'Terminée',
      ignored: 'Ignorée',
    },
    via: {
      api: 'via l’API',
      cli: 'en ligne de commande',
      admin: 'dans l’administration',
      code: 'via le code du site',
      stripe: 'par Stripe',
    },
    by: (name) => `par ${name}`,
    before: 'Avant',
    after: 'Après',
    undoes: (entry) => `Annule l’événement ${entry}.`,
    undo: 'Annuler',
    undoSure: {
      back: 'Ceci revient :',
      gone: 'Ceci disparaît :',
    },
    noUndo: {
      undone: 'Annulé',
      changed_since: 'Modifié depuis',
      ended: 'Sa période est passée',
      full: 'La programmation est complète',
    },
    restore: 'Utiliser comme brouillon',
    because: (reason) => `Motif : ${reason}`,
    reasons: {
      not_featured:
        'Le bon de réduction n’est pas mis en avant : ses métadonnées n’ont pas isFeatured=true.',
      stale: 'Arrivée trop tard : une notification plus récente avait déjà pris effet.',
      coupon_expired: 'Le bon de réduction a expiré.',
      coupon_not_valid: 'D’après Stripe, le bon de réduction ne peut plus être utilisé.',
      coupon_used_up: 'Le bon de réduction est épuisé.',
      coupon_deleted: 'Le bon de réduction a été supprimé.',
      no_displayable_text: 'Le bon de réduction n’a ni nom ni remise à afficher.',
      malformed: 'La notification ne contient aucun bon de réduction lisible.',
    },
    notification: (id) => `Notification Stripe ${id}`,
  },

  site: {
    title: 'Sur votre site',
    lead: 'Placez la barre là où elle doit être. Elle garde sa place et reflète chaque modification.',
    onlyHere: (url) =>
      `Les autres machines ne peuvent pas joindre ${url}. Donnez l’adresse publique à PUBLIC_URL, dans l’environnement du service ou dans son fichier .env, puis redémarrez-le.`,
    flow: 'N’importe quelle page',
    flowNote: 'À l’endroit de votre HTML où doit se trouver la barre :',
    float: 'Flottante',
    floatNote: 'Avec la balise seule, la barre flotte en bas de la fenêtre :',
    strict: 'Avec une Content-Security-Policy stricte',
    strictNote:
      'Autorisez ce service comme source et réservez la place de l’élément dans votre propre feuille de style :',
    next: 'Next.js, React et autres',
    nextNote:
      'Les guides se trouvent dans le dossier docs du dépôt : next.md, serverless.md, frameworks.md, embed.md.',
    command: 'En ligne de commande',
    http: 'Par HTTP',
    httpNote:
      'EVENT_API_SECRET est la clé secrète de l’API. Si le service l’a créée lui-même, ceci la lit : EVENT_API_SECRET=$(cat data/event-api-secret)',
    stripe: 'Depuis Stripe',
    stripeNote:
      'Envoyez les notifications de bons de réduction à cette adresse et ajoutez cette métadonnée à un bon. Il est annoncé dès qu’il est enregistré.',
    copy: 'Copier',
    copied: 'Copié',
  },

  done: {
    published: 'Publiée. Toutes les pages ouvertes à partir de maintenant l’affichent.',
    scheduled: 'Programmée.',
    withdrawn: 'Retirée.',
    unscheduled: 'Retirée de la programmation.',
    undone: 'Modification annulée.',
    nothing: 'Elle n’était déjà plus là.',
  },

  faults: {
    about: (field) => `${field} :`,
    title: 'Ce n’est pas encore possible',
    unknown: 'Une erreur s’est produite. Le journal du service en donne la raison.',
    unavailable:
      'Le service n’arrive pas à joindre sa base de données. Rien n’est perdu : réessayez.',
    tooMany: (seconds) => `Trop de modifications à la fois. Réessayez dans ${seconds} s.`,
    changed:
      'Entre-temps, autre chose s’affiche. Regardez-le d’abord. Pour le remplacer, publiez à nouveau.',
    meanwhile: 'Depuis que vous avez ouvert cette page, autre chose s’affiche :',
    gone: 'Cela n’existe plus ou a été modifié par quelqu’un d’autre.',
    undoChanged: 'Annulation impossible : autre chose y a changé depuis.',
    undoRefused: (why) =>
      `Annulation impossible : ce bon de réduction serait refusé au paiement. ${why}`,
    session:
      'Votre session est terminée. Connectez-vous pour continuer. Votre saisie n’a pas été enregistrée.',
    signedOut:
      'Votre session est terminée. Votre saisie est toujours là. Connectez-vous dans un autre onglet, puis continuez ici.',
    unsent:
      'Le service est injoignable pour le moment. Rien n’est publié ni modifié. Votre saisie est toujours là : réessayez.',
    unreached: 'Le service est injoignable pour le moment. Rien n’a été modifié : réessayez.',
    foreign: 'Cette requête ne vient pas de cette page.',
    skipped: (a, b) =>
      `Cette heure n’existe pas, car les horloges avancent. Choisissez ${a} ou ${b}.`,
    twice: 'Cette heure revient deux fois, car les horloges reculent. Laquelle choisir ?',
    unreadable: 'Indiquez une date et une heure.',
    zone: 'Ce fuseau horaire n’existe pas. Utilisez un nom comme Europe/Berlin.',
  },

  rules,
}
