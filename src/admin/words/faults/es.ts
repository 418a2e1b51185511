import type { ConflictWords, FaultWords } from './en.ts'

export const conflict: ConflictWords = {
  gone: 'Lo que estás editando ya no existe.',
  changed: 'Lo que estás editando ha cambiado entretanto.',
  other: 'Desde que empezaste a escribir se ha publicado otro anuncio de este tipo.',
  asNew: 'Lo que escribiste sería un anuncio nuevo.',
  instead: 'Lo que escribiste lo sustituiría.',
  discard: 'Descartar lo que escribí',
  publish: 'Publicar como nuevo',
  schedule: 'Programar como nuevo',
}

export const faults: FaultWords = {
  about: (field) => `${field}:`,
  title: 'Todavía no se puede',
  unknown: 'Algo ha fallado. El registro del servicio dice por qué.',
  unavailable:
    'El servicio no puede acceder ahora a su base de datos. No se ha perdido nada: vuelve a intentarlo.',
  tooMany: (seconds) => `Demasiados cambios a la vez. Vuelve a intentarlo en ${seconds} s.`,
  gone: 'Ya no existe.',
  undoChanged: 'No se puede deshacer: desde entonces ha cambiado algo más ahí.',
  undoRefused: (why) => `No se puede deshacer: en el pago se rechazaría ese cupón. ${why}`,
  session:
    'Se ha cerrado tu sesión. Inicia sesión para continuar. Lo que escribiste no se ha guardado.',
  signedOut:
    'Se ha cerrado tu sesión. Lo que escribiste sigue aquí: inicia sesión en otra pestaña y continúa.',
  unsent:
    'No se ha podido acceder al servicio, así que no se ha publicado ni cambiado nada. Lo que escribiste sigue aquí: vuelve a intentarlo.',
  unsure:
    'No ha llegado la respuesta del servicio, así que no se sabe si esto se ha publicado. Lo que escribiste sigue aquí: mira en Ahora y Próximamente antes de volver a intentarlo.',
  away: 'No se puede acceder al servicio. Lo que aparece aquí puede estar desactualizado.',
  unreached:
    'No se ha podido acceder al servicio, así que no se ha cambiado nada. Vuelve a intentarlo.',
  foreign: 'Esa petición no procede de esta página.',
  skipped: (a, b) => `Esa hora no existe, porque los relojes se adelantan. Usa ${a} o ${b}.`,
  twice: 'Esa hora se repite, porque los relojes se atrasan. ¿Cuál de las dos?',
  unreadable: 'Escribe una fecha y una hora.',
  zone: 'Esa zona horaria no existe. Usa un nombre como Europe/Berlin.',
}
