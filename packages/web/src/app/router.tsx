import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from "@tanstack/react-router"
import type {
  AuditFilter,
  ChannelFilter,
  ConnectionFilter,
  DeliveryFilter,
  IncidentFilter,
} from "../api/queries.ts"
import { loadOverview } from "../pages/home/loadOverview.ts"
import { NotFound, PageError } from "../parts/Failed.tsx"
import { Loading } from "../parts/Loading.tsx"
import { Shell } from "./Shell.tsx"
import { SignedIn } from "./SignedIn.tsx"
import { filterSearch, textSearch } from "./search.ts"

const root = createRootRoute({ component: Outlet })

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  component: lazyRouteComponent(() => import("./SignIn.tsx"), "SignIn"),
})

const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  component: () => (
    <SignedIn>
      <Shell />
    </SignedIn>
  ),
})

const home = createRoute({
  getParentRoute: () => shell,
  path: "/",
  validateSearch: textSearch<"range">(["range"]),
  loaderDeps: ({ search: { range } }) => ({ range }),
  // Not awaited: the page shows each part as soon as it is known.
  loader: ({ deps: { range } }) => void loadOverview(range),
  component: lazyRouteComponent(() => import("../pages/home/Home.tsx"), "Home"),
})

const deliveries = createRoute({
  getParentRoute: () => shell,
  path: "/deliveries",
  validateSearch: filterSearch<DeliveryFilter>({
    channel: true,
    state: true,
    reference: true,
    event_id: true,
    site_url: true,
    job: true,
    created_after: true,
    created_before: true,
  }),
  component: lazyRouteComponent(() => import("../pages/deliveries/Deliveries.tsx"), "Deliveries"),
})

const delivery = createRoute({
  getParentRoute: () => shell,
  path: "/deliveries/$id",
  component: lazyRouteComponent(() => import("../pages/delivery/DeliveryPage.tsx"), "DeliveryPage"),
})

const channels = createRoute({
  getParentRoute: () => shell,
  path: "/channels",
  validateSearch: filterSearch<ChannelFilter>({ q: true, health: true, paused: true }),
  component: lazyRouteComponent(() => import("../pages/channels/Channels.tsx"), "Channels"),
})

const channel = createRoute({
  getParentRoute: () => shell,
  path: "/channels/$id",
  validateSearch: textSearch(["tab"]),
  component: lazyRouteComponent(() => import("../pages/channel/ChannelPage.tsx"), "ChannelPage"),
})

const connections = createRoute({
  getParentRoute: () => shell,
  path: "/connections",
  validateSearch: filterSearch<ConnectionFilter>({ q: true, site: true, state: true }),
  component: lazyRouteComponent(() => import("../pages/connections/Connections.tsx"), "Connections"),
})

const connection = createRoute({
  getParentRoute: () => shell,
  path: "/connections/$id",
  component: lazyRouteComponent(() => import("../pages/connection/ConnectionPage.tsx"), "ConnectionPage"),
})

const incidents = createRoute({
  getParentRoute: () => shell,
  path: "/resolved-incidents",
  validateSearch: filterSearch<IncidentFilter>({
    kind: true,
    subject: true,
    created_after: true,
    created_before: true,
  }),
  component: lazyRouteComponent(
    () => import("../pages/incidents/ResolvedIncidents.tsx"),
    "ResolvedIncidents",
  ),
})

const invalidEvents = createRoute({
  getParentRoute: () => shell,
  path: "/invalid-events",
  component: lazyRouteComponent(() => import("../pages/invalidEvents/InvalidEvents.tsx"), "InvalidEvents"),
})

const jobs = createRoute({
  getParentRoute: () => shell,
  path: "/jobs",
  component: lazyRouteComponent(() => import("../pages/jobs/Jobs.tsx"), "Jobs"),
})

const job = createRoute({
  getParentRoute: () => shell,
  path: "/jobs/$id",
  component: lazyRouteComponent(() => import("../pages/jobs/JobPage.tsx"), "JobPage"),
})

const keys = createRoute({
  getParentRoute: () => shell,
  path: "/keys",
  component: lazyRouteComponent(() => import("../pages/keys/Keys.tsx"), "Keys"),
})

const audit = createRoute({
  getParentRoute: () => shell,
  path: "/audit",
  validateSearch: filterSearch<AuditFilter>({
    key: true,
    target_kind: true,
    target: true,
    operation: true,
    revealed: true,
    created_after: true,
    created_before: true,
  }),
  component: lazyRouteComponent(() => import("../pages/audit/Audit.tsx"), "Audit"),
})

const unknown = createRoute({ getParentRoute: () => shell, path: "$", component: NotFound })

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    shell.addChildren([
      home,
      deliveries,
      delivery,
      channels,
      channel,
      connections,
      connection,
      incidents,
      invalidEvents,
      jobs,
      job,
      keys,
      audit,
      unknown,
    ]),
  ]),
  defaultPreload: "intent",
  defaultPendingComponent: Loading,
  defaultErrorComponent: ({ error }) => <PageError error={error} />,
  scrollRestoration: true,
  // Values in the URL stay as they are written, without quotes around numbers.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const entries = Object.entries(search).filter(([, value]) => value !== undefined && value !== "")
    const text = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString()
    return text === "" ? "" : `?${text}`
  },
})

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router
  }
}
