import { canonicalTag, mayBeLanguage, tagFor } from '../core/language.ts'
import { knownNames } from './words.ts'

/** The settings of the bar on the owner's site, for the snippet and the preview. */
export type Appearance = ReturnType<typeof appearanceIn>

/** @param kept the form's choices, URL-encoded, from the cookie that the page's script sets */
export function appearanceIn(kept = '') {
  const form = new URLSearchParams(kept)
  const given = form.get('theme')
  const chosen = given === 'light' || given === 'dark' ? given : 'auto'
  const colors = ['color', 'surface'].map((name) => form.get(name) ?? '') as [string, string]
  const isColored = form.has('colored') && colors.every((one) => /^#[\da-f]{6}$/i.test(one))
  const language = tagFor(form.get('language')?.trim() ?? '', knownNames)
  const tag = canonicalTag(language)
  return {
    float: form.get('where') === 'float',
    dismissible: form.has('dismissible'),
    // The theme sets the colour of the shine, so custom text that is lighter than its surface gets the dark theme.
    theme: isColored ? themeOf(...colors) : chosen,
    /** The theme chosen in the form, which applies again once custom colours are turned off. */
    chosen,
    /** Custom colours as `#rrggbb`; `null` for the theme's own colours. */
    colors: isColored ? { color: colors[0], surface: colors[1] } : null,
    language: tag ?? language,
    /** The code of the message about an invalid or unknown `language`; otherwise, an empty string. */
    fault: !tag ? language && 'not_a_language' : mayBeLanguage(tag) ? '' : 'unknown_language',
  }
}

const themeOf = (color: string, surface: string) =>
  luminanceOf(color) > luminanceOf(surface) ? 'dark' : 'light'

/** Returns the contrast ratio of two colours (WCAG 2.2), from 1 to 21. */
export function contrastOf(a: string, b: string): number {
  const [darker = 0, lighter = 0] = [luminanceOf(a), luminanceOf(b)].toSorted((x, y) => x - y)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
