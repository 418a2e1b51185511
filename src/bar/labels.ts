/** What screen readers say about the bar, by language. Not in the locale files, as React apps don't have those. */

interface Labels {
  /** What the bar is, as a landmark. */
  bar: string
  /** Follows the text of a link that opens a new tab, in brackets. */
  newTab: string
  pause: string
  close: string
}

const ENGLISH: Labels = {
  bar: 'Announcement',
  newTab: 'opens in a new tab',
  pause: 'Pause animation',
  close: 'Dismiss announcement',
}

const LABELS = new Map<string, Labels>([
  ['en', ENGLISH],
  [
    'de',
    {
      bar: 'Ankündigung',
      newTab: 'wird in einem neuen Tab geöffnet',
      pause: 'Animation anhalten',
      close: 'Ankündigung ausblenden',
    },
  ],
  [
    'es',
    {
      bar: 'Anuncio',
      newTab: 'se abre en una pestaña nueva',
      pause: 'Pausar la animación',
      close: 'Ocultar anuncio',
    },
  ],
  [
    'fr',
    {
      bar: 'Annonce',
      newTab: 's’ouvre dans un nouvel onglet',
      pause: 'Mettre l’animation en pause',
      close: 'Masquer l’annonce',
    },
  ],
  [
    'ja',
    {
      bar: 'お知らせ',
      newTab: '新しいタブで開きます',
      pause: 'アニメーションを一時停止',
      close: 'お知らせを閉じる',
    },
  ],
  [
    'ar',
    {
      bar: 'إعلان',
      newTab: 'يُفتح في علامة تبويب جديدة',
      pause: 'إيقاف الحركة مؤقتًا',
      close: 'إخفاء الإعلان',
    },
  ],
])

/** By the language alone: `de-AT` gets what `de` gets. */
export function labelsFor(locale: string | undefined): Labels {
  return LABELS.get((locale ?? 'en').toLowerCase().split(/[-_]/)[0] ?? 'en') ?? ENGLISH
}
