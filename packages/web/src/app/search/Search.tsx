import { Modal, TextInput } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { type KeyboardEvent, useEffect, useId, useState } from "react"
import { useAccess } from "../../api/access.ts"
import { Icon } from "../../parts/Icon.tsx"
import { navigationOf } from "../navigation.ts"
import classes from "./Search.module.css"
import { type Hit, isUnsearched, searchEverything } from "./searchEverything.ts"

/** Finds a page, a channel, a connection or a delivery. */
export function Search({ close }: { close: () => void }) {
  const access = useAccess()
  const navigate = useNavigate()
  const listId = useId()
  const [text, setText] = useState("")
  const [chosen, setChosen] = useState(0)
  const [entered, setEntered] = useState(false)
  // Counting what an e-mail address finds is expensive.
  const [paused] = useDebouncedValue(text.trim(), text.includes("@") ? 600 : 200)
  const searched = entered ? text.trim() : paused
  const { data: found, isFetching } = useQuery({
    queryKey: ["search", searched],
    enabled: searched !== "",
    queryFn: ({ signal }) => searchEverything(searched, access, signal),
    // The text may be an e-mail address, which the page does not keep.
    gcTime: 0,
  })
  const pages: Hit[] = navigationOf(access)
    .flat()
    .filter(({ label }) => label.toLowerCase().includes(text.trim().toLowerCase()))
    .map(({ to, label }) => ({ key: to, kind: "Page", title: label, link: { to } }))
  const hits = [...(searched === "" ? [] : (found?.hits ?? [])), ...pages]
  const failed = (found?.failed ?? []).join(", ")
  const whole = searched.includes("@")
    ? "Whoever may erase personal data finds deliveries by the whole e-mail address."
    : "Deliveries are found by the whole id, reference or site."
  const none = isUnsearched(searched, access)
    ? "Not searched: search by an id, a reference or a site instead."
    : "Nothing found."
  const foot =
    failed !== ""
      ? `These could not be searched: ${failed}. Search again in a moment.`
      : `${hits.length === 0 ? none : "↑ ↓ to choose, Enter to open, Esc to close."} ${whole}`
  const index = Math.min(chosen, hits.length - 1)

  // Enter may be pressed before the text is searched. What an earlier text found is not opened.
  useEffect(() => {
    if (!entered || isFetching) return
    setEntered(false)
    open(hits[index])
  })

  function open(hit: Hit | undefined): void {
    if (!hit) return
    close()
    void navigate(hit.link as { to: string })
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setChosen((index + step + hits.length) % Math.max(1, hits.length))
    }
    if (event.key === "Enter") setEntered(true)
  }

  return (
    <Modal
      opened
      onClose={close}
      withCloseButton={false}
      padding={0}
      yOffset="12vh"
      centered={false}
      size="lg"
      attributes={{ content: { "aria-label": "Search" } }}
    >
      <TextInput
        data-autofocus
        variant="unstyled"
        size="md"
        className={classes.input}
        leftSection={<Icon name="search" />}
        placeholder="Event, reference, site, delivery, channel or connection"
        aria-label="Search"
        role="combobox"
        aria-expanded={hits.length > 0}
        aria-controls={listId}
        aria-activedescendant={hits.length > 0 ? `${listId}-${index}` : undefined}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value)
          setChosen(0)
          setEntered(false)
        }}
        onKeyDown={onKeyDown}
      />
      <div id={listId} role="listbox" aria-label="Results" className={classes.list}>
        {hits.map((hit, position) => (
          // The keyboard stays in the input, which names the chosen option.
          // biome-ignore lint/a11y/useFocusableInteractive: see above
          // biome-ignore lint/a11y/useKeyWithClickEvents: see above
          <div
            key={hit.key}
            id={`${listId}-${position}`}
            role="option"
            aria-selected={position === index}
            className={classes.hit}
            onClick={() => open(hit)}
            onMouseMove={() => setChosen(position)}
          >
            <span className={classes.kind}>{hit.kind}</span>
            <span className={classes.title} dir="auto">
              {hit.title}
              {hit.detail && <small className={classes.detail}>{hit.detail}</small>}
            </span>
            {hit.more && <span className={classes.more}>{hit.more}</span>}
          </div>
        ))}
      </div>
      <p className={classes.foot} role="status">
        {isFetching ? "Loading …" : foot}
      </p>
    </Modal>
  )
}
