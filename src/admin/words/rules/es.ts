import type { Rules } from './en.ts'

export const rules: Rules = {
  required: 'Falta este dato.',
  string: 'Aquí va un texto.',
  length: (least, most, count) => `Se permiten de ${least} a ${most} caracteres (ahora: ${count}).`,
  wellFormed: 'A un carácter le falta la mitad, así que el texto no es Unicode válido.',
  oneLine:
    'Debe ser una sola línea, sin caracteres de control ni caracteres que cambien la dirección del texto.',
  visible: 'Al menos un carácter debe ser visible.',
  type: (types) => `Solo se admite uno de estos valores: ${types}.`,

  unseen:
    'Un enlace no lleva espacios ni caracteres invisibles. Escribe un guion o %20 en su lugar.',
  backslash: 'Escribe / en lugar de \\.',
  url: 'Ningún navegador puede abrir esa dirección. Cópiala del navegador, por ejemplo https://example.com/sale.',
  scheme: 'Una dirección empieza por https://, por ejemplo https://example.com/sale.',
  reference:
    'Un enlace lleva a una página: una dirección que empieza por https://, o una ruta como /sale.',
  icon: (least, most) =>
    `Se permiten de ${least} a ${most} letras, dígitos y guiones: el nombre de un icono de Lucide.`,

  instant: 'Es anterior a 1970. Escribe el año completo, como 2027.',
  future: 'Debe ser un momento futuro.',
  afterStart: 'El final debe ser posterior al comienzo.',
  full: (most) =>
    `Ya hay ${most} anuncios programados. Espera a que empiece uno de ellos o elimina alguno.`,

  byLanguage: 'Debe ser un objeto con un texto por idioma: { "de": "…" }',
  tag: 'Ese idioma no existe. Elige uno de la lista o escribe un código, como fr para el francés.',
  sameLanguage: (tag) => `Este idioma ya está en la lista: ${tag}.`,
  languages: (most, count) => `Se permiten como máximo ${most} idiomas (ahora: ${count}).`,
  bytes: (most, count) =>
    `Junto con el texto, se permiten como máximo ${most} bytes de UTF-8 (ahora: ${count}).`,
  unknown: 'Este campo no existe aquí.',

  noIcon: (name) => `No existe el icono «${name}», así que se muestra el destello.`,
  noSlash:
    'El enlace no empieza por /, así que lleva a un lugar distinto desde cada página. Empiézalo por / o https://.',
  credentials:
    'El enlace lleva un nombre o una contraseña antes del servidor, y cualquier visitante puede leerlo.',
  percent:
    'El enlace tiene un % que muchos servidores rechazan. Escribe el signo de porcentaje como %25.',
  noLanguage: (tag) =>
    `Nadie verá el texto para «${tag}», porque ningún idioma tiene ese código. Elige uno de la lista, como fr para el francés.`,
  tooLong: (letters) =>
    `El texto no cabe en la barra ni en una pantalla grande (unas ${letters} letras), así que se corta el final.`,
  tooLongIn: (tag, letters) =>
    `El texto para ${tag} no cabe en la barra ni en una pantalla grande (unas ${letters} letras), así que se corta el final.`,
}
