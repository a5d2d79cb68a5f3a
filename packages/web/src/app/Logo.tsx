import classes from "./Shell.module.css"

export function Logo() {
  return (
    <span className={classes.logo}>
      <svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
        <rect width="32" height="32" rx="7" fill="#3b5bdb" />
        <path
          d="M8 8h9a4 4 0 0 1 0 8h-2a4 4 0 0 0 0 8h9"
          fill="none"
          stroke="#fff"
          strokeWidth="3"
          strokeLinecap="round"
        />
      </svg>
      Sitewire
    </span>
  )
}
