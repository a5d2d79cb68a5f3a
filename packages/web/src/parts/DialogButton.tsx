import { Button } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import type { ReactNode } from "react"
import { Icon, type IconName } from "./Icon.tsx"

/** A button that opens a dialog. `children` is called while it is open, so that its fields begin anew each time. */
export function DialogButton({
  label,
  icon,
  variant = "default",
  danger = false,
  children,
}: {
  label: string
  icon?: IconName
  variant?: "default" | "filled"
  danger?: boolean
  children: (close: () => void) => ReactNode
}) {
  const [opened, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button
        variant={variant}
        {...(danger ? { c: "var(--bad)" } : {})}
        leftSection={icon && <Icon name={icon} size={16} />}
        onClick={open}
      >
        {label}
      </Button>
      {opened && children(close)}
    </>
  )
}
