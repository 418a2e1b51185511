import type { Part } from '../aloud.ts'

/** What the look tests need of a browser. Chromium, Firefox and WebKit each have an adapter beside this. */

/** The default size of the page in a window: width and height, in CSS pixels. */
export const SIZE = [1280, 800] as const

/** What a reader's system prefers, and how large the window is. */
export interface Look {
  scheme?: 'light' | 'dark'
  motion?: 'reduce'
  /** Forced colours. */
  forced?: true
  size?: readonly [width: number, height: number]
  /** Device pixels for each CSS pixel. */
  scale?: number
}

export interface Tab {
  /** Resolves once the page and its resources have loaded. */
  goto(url: string): Promise<void>
  /** `run` is sent to the page, so it must not refer to anything outside itself. */
  evaluate<R, A = undefined>(run: (arg: A) => R | Promise<R>, arg?: A): Promise<R>
  /** The window's content, as a PNG. */
  screenshot(): Promise<Buffer>
  hover(x: number, y: number): Promise<void>
  press(key: 'Tab' | ' '): Promise<void>
}

export interface Engine {
  /** The width of the narrowest window that it can open, in px. */
  narrowest: number
  /** Whether a reader's own colours can be forced. */
  forcedColours: boolean
  /** Opens a tab without history or storage, and closes the previous one. */
  open(look?: Look): Promise<Tab>
  close(): Promise<void>
}

/** An engine of one kind. */
export interface Kind {
  name: string
  /** What this machine lacks for it. */
  lacking: Part | undefined
  launch(): Engine
}
