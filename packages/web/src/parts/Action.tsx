import { Button, type ButtonProps, TextInput } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { type ReactNode, useState } from "react"
import type { Post } from "../api/client.ts"
import { useWrite } from "../api/useWrite.ts"
import { reasonHint } from "../words.ts"
import { FormDialog } from "./FormDialog.tsx"
import { Icon, type IconName } from "./Icon.tsx"
import { toast } from "./Toasts.tsx"

type ActionProps<Result> = {
  label: string
  icon?: IconName
  /** What will happen, and to whom. */
  title: string
  children?: ReactNode
  /** The button that does it; names the action. */
  confirm?: string
  danger?: boolean
  /** Asks for a reason, which the API stores. */
  reason?: "optional" | "required"
  reasonLabel?: string
  run: (post: Post, reason: string | undefined) => Promise<Result>
  /** Text of the notice afterwards. */
  done?: string | ((result: Result) => string)
  then?: (result: Result) => void
  /** Called when the dialog opens and closes. */
  onToggle?: (opened: boolean) => void
  disabled?: boolean
} & Pick<ButtonProps, "variant" | "size">

/** A button that explains an action, asks once, and then reports what happened. */
export function Action<Result>(props: ActionProps<Result>) {
  const { label, icon, variant = "default", size = "sm", danger, disabled, onToggle } = props
  const [opened, { open, close }] = useDisclosure(false, {
    onOpen: () => onToggle?.(true),
    onClose: () => onToggle?.(false),
  })
  return (
    <>
      <Button
        variant={variant}
        size={size}
        {...(danger && variant === "default" ? { c: "var(--bad)" } : {})}
        leftSection={icon && <Icon name={icon} size={16} />}
        onClick={open}
        disabled={disabled ?? false}
      >
        {label}
      </Button>
      {opened && <Ask {...props} close={close} />}
    </>
  )
}

function Ask<Result>({
  title,
  children,
  confirm,
  label,
  danger = false,
  reason,
  reasonLabel = reason === "required" ? "Reason" : "Reason (optional)",
  run,
  done,
  then,
  close,
}: ActionProps<Result> & { close: () => void }) {
  const [why, setWhy] = useState("")
  const request = useWrite({
    run: (post) => run(post, why.trim() || undefined),
    onSuccess(result) {
      close()
      if (done !== undefined) toast(typeof done === "string" ? done : done(result))
      then?.(result)
    },
  })
  const button = danger ? "cancel" : "submit"
  return (
    <FormDialog
      title={title}
      submit={confirm ?? label}
      danger={danger}
      focus={reason ? undefined : button}
      request={request}
      close={close}
    >
      {children && <div>{children}</div>}
      {reason && (
        <TextInput
          label={reasonLabel}
          description={reasonHint}
          value={why}
          required={reason === "required"}
          maxLength={500}
          onChange={(event) => setWhy(event.currentTarget.value)}
          data-autofocus
        />
      )}
    </FormDialog>
  )
}
