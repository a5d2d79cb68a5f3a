import { Button, Group, PasswordInput, TextInput } from "@mantine/core"

export type HeaderField = { name: string; value: string }

/** Names and values of request headers. The page never has the stored values, only those that its user types. */
export function HeaderFields({
  headers,
  change,
}: {
  headers: readonly HeaderField[]
  change: (headers: HeaderField[]) => void
}) {
  const set = (at: number, field: Partial<HeaderField>) =>
    change(headers.map((header, index) => (index === at ? { ...header, ...field } : header)))
  return (
    <>
      {headers.map(({ name, value }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a field has no other identity
        <Group key={at} grow align="start">
          <TextInput
            label="Header"
            placeholder="Authorization"
            required
            value={name}
            onChange={(event) => set(at, { name: event.currentTarget.value.trim() })}
          />
          <PasswordInput
            label="Value"
            autoComplete="off"
            required
            value={value}
            onChange={(event) => set(at, { value: event.currentTarget.value.trim() })}
          />
        </Group>
      ))}
      {headers.length < 4 && (
        <Group>
          <Button variant="default" onClick={() => change([...headers, { name: "", value: "" }])}>
            Add a request header
          </Button>
        </Group>
      )}
    </>
  )
}

export const withoutValues = (names: readonly string[]): HeaderField[] =>
  names.map((name) => ({ name, value: "" }))

export const areComplete = (headers: readonly HeaderField[]) =>
  headers.every(({ name, value }) => name !== "" && value !== "")

/** The API sends stored headers to no other origin, so their values are needed again. */
export const areNeededAgain = (names: readonly string[], from: string, to: string) =>
  names.length > 0 && URL.parse(from)?.origin !== URL.parse(to)?.origin
