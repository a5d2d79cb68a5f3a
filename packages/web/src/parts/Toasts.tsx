import { CloseButton } from "@mantine/core"
import { useSyncExternalStore } from "react"
import { Icon } from "./Icon.tsx"
import classes from "./Toasts.module.css"

type Toast = { id: number; text: string }

const visibleMs = 8_000
let toasts: Toast[] = []
let nextId = 1
const listeners = new Set<() => void>()

function set(next: Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

/** Reports what an action has done. */
export function toast(text: string): void {
  const id = nextId++
  set([...toasts, { id, text }])
  setTimeout(() => set(toasts.filter((one) => one.id !== id)), visibleMs)
}

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => toasts,
  )
  return (
    <div className={classes.toasts} role="status">
      {shown.map(({ id, text }) => (
        <div key={id} className={classes.toast}>
          <Icon name="check" />
          <span>{text}</span>
          <CloseButton
            size="sm"
            aria-label="Close"
            onClick={() => set(toasts.filter((one) => one.id !== id))}
          />
        </div>
      ))}
    </div>
  )
}
