import { ActionIcon, Burger, Button, Kbd, SegmentedControl, useMantineColorScheme } from "@mantine/core"
import { useDisclosure, useHotkeys } from "@mantine/hooks"
import { useMutation } from "@tanstack/react-query"
import { Link, Outlet, useLocation } from "@tanstack/react-router"
import { lazy, Suspense, useEffect, useRef } from "react"
import { useAccess, useSession } from "../api/access.ts"
import { signOut } from "../api/session.ts"
import { useStreamState } from "../api/stream.ts"
import { Icon } from "../parts/Icon.tsx"
import { Loading } from "../parts/Loading.tsx"
import { Time } from "../parts/Time.tsx"
import { Toasts } from "../parts/Toasts.tsx"
import { Logo } from "./Logo.tsx"
import { navigationOf } from "./navigation.ts"
import classes from "./Shell.module.css"

const schemeNames = { auto: "System", light: "Light", dark: "Dark" } as const

const Search = lazy(() =>
  import("./search/Search.tsx").then(({ Search: component }) => ({ default: component })),
)

export function Shell() {
  const access = useAccess()
  const { pathname } = useLocation()
  const [menuOpen, menu] = useDisclosure(false)
  const [searching, search] = useDisclosure(false)
  const main = useRef<HTMLElement>(null)
  useHotkeys([["/", search.open]])

  // A screen reader begins at the content of each page.
  const shown = useRef(pathname)
  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    menu.close()
    main.current?.focus({ preventScroll: true })
  }, [pathname, menu.close])

  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#main">
        Skip to the content
      </a>
      <section className={classes.bar} aria-label="Menu and search">
        <Burger
          opened={menuOpen}
          onClick={menu.toggle}
          size="sm"
          aria-label="Menu"
          aria-expanded={menuOpen}
        />
        <Logo />
        <ActionIcon variant="subtle" color="gray" size="lg" onClick={search.open} aria-label="Search">
          <Icon name="search" />
        </ActionIcon>
      </section>
      <aside className={classes.side} data-open={menuOpen} aria-label="Console">
        <div className={classes.brand}>
          <Logo />
        </div>
        <Button
          variant="default"
          justify="space-between"
          fullWidth
          onClick={search.open}
          leftSection={<Icon name="search" />}
          rightSection={<Kbd size="xs">/</Kbd>}
          className={classes.search}
        >
          Search
        </Button>
        <nav aria-label="Pages" className={classes.nav}>
          {navigationOf(access).map((group) => (
            <ul key={group[0]?.to}>
              {group.map(({ to, icon, label, exact }) => (
                <li key={to}>
                  <Link
                    to={to}
                    activeOptions={{ exact: exact ?? false, includeSearch: false }}
                    className={classes.link}
                  >
                    <Icon name={icon} />
                    {label}
                  </Link>
                </li>
              ))}
            </ul>
          ))}
        </nav>
        <Account />
      </aside>
      <main id="main" ref={main} tabIndex={-1} className={classes.main}>
        <StreamNotice />
        <Suspense fallback={<Loading />}>
          <Outlet />
        </Suspense>
      </main>
      {searching && (
        <Suspense fallback={null}>
          <Search close={search.close} />
        </Suspense>
      )}
      <Toasts />
    </div>
  )
}

function Account() {
  const session = useSession()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const { mutate } = useMutation({ mutationFn: signOut })
  const [opened, { toggle }] = useDisclosure(false)
  return (
    <div className={classes.account}>
      {opened && (
        <div id="account" className={classes.options}>
          <SegmentedControl
            size="xs"
            fullWidth
            aria-label="Appearance"
            value={colorScheme}
            onChange={(scheme) => setColorScheme(scheme)}
            data={(["auto", "light", "dark"] as const).map((value) => ({ value, label: schemeNames[value] }))}
          />
          <Link to="/keys">Your sessions</Link>
          <a href="/reference">API reference</a>
          <Button variant="default" size="xs" fullWidth onClick={() => mutate()}>
            Sign out
          </Button>
        </div>
      )}
      <button type="button" aria-expanded={opened} aria-controls="account" onClick={toggle}>
        <span className={classes.name}>
          <span dir="auto">{session.name}</span>
          <small>{session.scopes.join(", ")}</small>
        </span>
        <Icon name="more" />
      </button>
    </div>
  )
}

function StreamNotice() {
  const { since } = useStreamState()
  return (
    <div role="status">
      {since !== null && (
        <p className={classes.notice}>
          <Icon name="interrupted" />
          <span>
            Live updates are interrupted since <Time at={new Date(since).toISOString()} format="time" />. What
            you see may be out of date. The page tries to connect again by itself.
          </span>
        </p>
      )}
    </div>
  )
}
