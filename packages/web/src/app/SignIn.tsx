import { Alert, Anchor, Button, Divider, PasswordInput, Stack, Text, Title } from "@mantine/core"
import { useMutation, useQuery } from "@tanstack/react-query"
import { Navigate, useLocation, useNavigate } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { readLink, sessionQuery, signIn } from "../api/session.ts"
import { ProblemAlert } from "../parts/ProblemAlert.tsx"
import { texts } from "../texts.ts"
import { Logo } from "./Logo.tsx"
import classes from "./SignIn.module.css"

const t = texts.signIn

export function SignIn() {
  const { data: state } = useQuery(sessionQuery)
  const { pathname, hash, href } = useLocation()
  const navigate = useNavigate()
  const [key, setKey] = useState("")
  const [link, setLink] = useState(() => new URLSearchParams(hash).get("link"))
  const leave = () => (pathname === "/sign-in" ? navigate({ to: "/", replace: true }) : undefined)
  const { mutate, error, isPending, variables } = useMutation({ mutationFn: signIn, onSuccess: leave })

  // Whoever wrote the link may want somebody to work under another name: nobody is signed in by opening it.
  const linked = useQuery({
    queryKey: ["session", "link", link],
    queryFn: () => readLink(link ?? ""),
    enabled: link !== null,
    retry: false,
    gcTime: 0,
  })

  useEffect(() => {
    // A link works once: it is removed from the address bar and the history.
    if (link !== null) void navigate({ to: "/sign-in", hash: "", replace: true })
  }, [link, navigate])

  if (state?.kind === "signed in" && pathname === "/sign-in" && link === null) return <Navigate to="/" />
  const { methods, ended } =
    state?.kind === "signed out" ? state : { methods: { key: true, oidc: false }, ended: false }
  return (
    <main className={classes.page}>
      <form
        className={classes.card}
        onSubmit={(event) => {
          event.preventDefault()
          mutate(link === null ? { key: key.trim() } : { link })
        }}
      >
        <Stack gap="md">
          <Logo />
          <div>
            <Title order={1}>{t.title}</Title>
            <Text c="dimmed" size="sm" mt={4}>
              {t.intro}
            </Text>
          </div>
          {linked.data && (
            <Alert color="blue" variant="outline" role="status" title={t.linkTitle(linked.data.name)}>
              {t.linkMore(linked.data.scopes)}
              {state?.kind === "signed in" && ` ${t.linkReplaces(state.session.name)}`}
            </Alert>
          )}
          {linked.error && <ProblemAlert error={linked.error} title={t.linkFailed} />}
          {ended && (
            <Alert color="yellow" variant="outline" role="status" title={t.endedTitle}>
              {t.ended}
            </Alert>
          )}
          {link === null && methods.key && (
            <PasswordInput
              label={t.key}
              description={t.keyHint}
              placeholder="swk_…"
              autoComplete="current-password"
              required
              withAsterisk={false}
              autoFocus
              value={key}
              onChange={(event) => setKey(event.currentTarget.value)}
              visibilityToggleButtonProps={{ "aria-label": t.showKey }}
            />
          )}
          {error && (
            <ProblemAlert error={error} title={variables && "link" in variables ? t.linkFailed : t.failed} />
          )}
          {(methods.key || link !== null) && (
            <Button
              type="submit"
              loading={isPending}
              disabled={link === null ? key.trim() === "" : !linked.data}
              fullWidth
            >
              {linked.data ? t.linkSubmit(linked.data.name) : t.submit}
            </Button>
          )}
          {link !== null && (
            <Button variant="default" onClick={() => setLink(null)} fullWidth>
              {t.linkCancel}
            </Button>
          )}
          {methods.oidc && (
            <>
              {methods.key && <Divider label={t.or} />}
              <Button component="a" href={openIdUrl(href)} variant="default" fullWidth>
                {t.oidc}
              </Button>
            </>
          )}
          <Text size="xs" c="dimmed">
            {t.noKey}{" "}
            <Anchor href="/reference" underline="always">
              {t.api}
            </Anchor>
          </Text>
        </Stack>
      </form>
    </main>
  )
}

/** The sign-in of the organisation, which returns to this page. */
function openIdUrl(href: string): string {
  return `/session/oidc?return_to=${encodeURIComponent(href.startsWith("/sign-in") ? "/" : href)}`
}
