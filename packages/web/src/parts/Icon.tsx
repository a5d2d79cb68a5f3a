/** Outlines in a square of 24 units. */
const paths = {
  overview: "M4 4h7v9H4zM13 4h7v5h-7zM13 11h7v9h-7zM4 15h7v5H4z",
  delivery: "M21 4 3 11l6 3 3 6zM9 14l5-5",
  channel: "M4 12h4m8 0h4M12 4v4m0 8v4M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z",
  connection: "M4 9a8 8 0 0 1 14-3l2 2m0-5v5h-5M20 15a8 8 0 0 1-14 3l-2-2m0 5v-5h5",
  invalid: "M12 4 2.5 20h19zM12 10v4m0 3v.01",
  job: "M4 6h16M4 12h16M4 18h10",
  key: "M14 10a4 4 0 1 1-3.5-4A4 4 0 0 1 14 10zm0 0h7v3m-4-3v2",
  audit: "M6 3h9l4 4v14H6zM9 9h6m-6 4h6m-6 4h3",
  search: "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5 20 20",
  more: "M6 12v.01M12 12v.01M18 12v.01",
  check: "m5 12 5 5 9-10",
  cross: "M6 6l12 12M18 6 6 18",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  interrupted: "M3 3l18 18M8 8a7 7 0 0 0-3 3m11-3a9 9 0 0 1 3 3M12 19v.01M9 15a4 4 0 0 1 6 0",
  warning: "M12 8v5m0 3v.01M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z",
  pause: "M8 5v14M16 5v14",
  play: "M7 5l12 7-12 7z",
  resend: "M20 11a8 8 0 1 0-2 6m2-11v5h-5",
  eye: "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z",
  external: "M14 4h6v6m0-6-9 9M18 14v6H4V6h6",
  arrow: "M5 12h14m-6-6 6 6-6 6",
  plus: "M12 5v14M5 12h14",
} as const

export type IconName = keyof typeof paths

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      viewBox="0 0 24 24"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  )
}
