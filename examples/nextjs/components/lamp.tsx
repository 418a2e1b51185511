/** The product shot: a lamp in lines, and its light. */
export function Lamp() {
  return (
    <div className="relative mx-auto aspect-square w-full max-w-sm md:max-w-none">
      <div className="glow absolute inset-[4%_0_10%]" />
      <svg
        viewBox="0 0 400 400"
        className="relative size-full text-ink"
        fill="none"
        aria-hidden="true"
      >
        <path d="M60 352H340" stroke="currentColor" strokeOpacity=".18" />
        <path d="M150 178L122 350H278L250 178Z" fill="url(#vesper-beam)" className="blur-[6px]" />
        <path d="M200 128V346" stroke="currentColor" strokeWidth="3.5" />
        <path d="M152 352a48 10 0 0 1 96 0Z" fill="currentColor" />
        <path d="M200 92c-44 0-66 34-74 84h148c-8-50-30-84-74-84Z" fill="currentColor" />
        <path d="M126 176a74 9 0 0 0 148 0Z" fill="#f7b955" />
        <circle cx="200" cy="86" r="6" fill="currentColor" />
        <defs>
          <linearGradient
            id="vesper-beam"
            x1="200"
            y1="176"
            x2="200"
            y2="352"
            gradientUnits="userSpaceOnUse"
          >
            <stop stopColor="#f7b955" stopOpacity=".62" />
            <stop offset="1" stopColor="#f7b955" stopOpacity=".1" />
          </linearGradient>
        </defs>
      </svg>
    </div>
  )
}
