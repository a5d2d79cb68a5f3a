import { Alert, Anchor, Button, Divider, PasswordInput, Stack, Text, Title } from "@mantine/core"
import { useMutation, useQuery } from "@tanstack/react-query"
import { Navigate, useLocation, useNavigate } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { sessionQuery, signIn } from "../api/session.ts"
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
  const [link] = useState(() => new URLSearchParams(hash).get("link"))
  const leave = () => (pathname === "/sign-in" ? navigate({ to: "/", replace: true }) : undefined)
  const { mutate, error, isPending, variables } = useMutation({ mutationFn: signIn, onSuccess: leave })

  useEffect(() => {
    if (link === null) return
    // A link works once: it is removed from the address bar and the history.
    void navigate({ to: "/sign-in", hash: "", replace: true })
    mutate({ link })
  }, [link, mutate, navigate])

  if (state?.kind === "signed in" && pathname === "/sign-in" && link === null) return <Navigate to="/" />
  const signedOut = state?.kind === "signed out" ? state : { oidc: false, ended: false }
  return (
    <main className={classes.page}>
      <form
        className={classes.card}
        onSubmit={(event) => {
          event.preventDefault()
          mutate({ key: key.trim() })
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
          {signedOut.ended && (
            <Alert color="yellow" variant="outline" role="status" title={t.endedTitle}>
              {t.ended}
            </Alert>
          )}
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
          {error && (
            <ProblemAlert error={error} title={variables && "link" in variables ? t.linkFailed : t.failed} />
          )}
          <Button type="submit" loading={isPending} disabled={key.trim() === ""} fullWidth>
            {t.submit}
          </Button>
          {signedOut.oidc && (
            <>
              <Divider label={t.or} />
              <Button component="a" href={openIdUrl(href)} variant="default" fullWidth>
                {t.oidc}
              </Button>
            </>
          )}
          <Text size="xs" c="dimmed">
            {t.noKey}{" "}
            <Anchor href="/openapi.json" underline="always">
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
