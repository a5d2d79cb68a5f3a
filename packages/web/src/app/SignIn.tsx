import { Anchor, Button, Divider, PasswordInput, Stack, Text, Title } from "@mantine/core"
import { useMutation, useQuery } from "@tanstack/react-query"
import { Navigate, useLocation, useNavigate } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { readLink, sessionQuery, signIn } from "../api/session.ts"
import { Notice, ProblemAlert } from "../parts/Notice.tsx"
import { Logo } from "./Logo.tsx"
import classes from "./SignIn.module.css"

const linkFailed = "The sign-in link did not work. It can be used once, and only for a short time"

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
            <Title order={1}>Sign in</Title>
            <Text c="dimmed" size="sm" mt={4}>
              To the console of Sitewire.
            </Text>
          </div>
          {linked.data && (
            <Notice kind="idle" role="status" title={`This link signs in as ${linked.data.name}`}>
              {`Scopes: ${linked.data.scopes.join(", ")}. Continue only if you expected this link: what you do will be done under this name.`}
              {state?.kind === "signed in" &&
                ` You are signed in as ${state.session.name}. That session will be replaced in this browser.`}
            </Notice>
          )}
          {linked.error && <ProblemAlert error={linked.error} title={linkFailed} />}
          {ended && (
            <Notice kind="warn" role="status" title="Your session has ended">
              Sign in again to continue where you were.
            </Notice>
          )}
          {link === null && methods.key && (
            <PasswordInput
              label="API key"
              description="The scopes of the key determine what you see and may do."
              placeholder="swk_…"
              autoComplete="current-password"
              required
              withAsterisk={false}
              autoFocus
              value={key}
              onChange={(event) => setKey(event.currentTarget.value)}
              visibilityToggleButtonProps={{ "aria-label": "Show the key" }}
            />
          )}
          {error && (
            <ProblemAlert
              error={error}
              title={variables && "link" in variables ? linkFailed : "You are not signed in"}
            />
          )}
          {(methods.key || link !== null) && (
            <Button
              type="submit"
              loading={isPending}
              disabled={link === null ? key.trim() === "" : !linked.data}
              fullWidth
            >
              {linked.data ? `Sign in as ${linked.data.name}` : "Sign in"}
            </Button>
          )}
          {link !== null && (
            <Button variant="default" onClick={() => setLink(null)} fullWidth>
              Do not use the link
            </Button>
          )}
          {methods.oidc && (
            <>
              {methods.key && <Divider label="or" />}
              <Button component="a" href={openIdUrl(href)} variant="default" fullWidth>
                Sign in with your organisation
              </Button>
            </>
          )}
          <Text size="xs" c="dimmed">
            No key? Ask an operator for one.{" "}
            <Anchor href="/reference" underline="always">
              About the API
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
