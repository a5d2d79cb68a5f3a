import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type RouteComponent,
} from "@tanstack/react-router"
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

const page = <const Path extends string, Search extends object>(
  path: Path,
  component: RouteComponent,
  validateSearch: (search: Record<string, unknown>) => Search,
) => createRoute({ getParentRoute: () => shell, path, component, validateSearch })
const lazy = lazyRouteComponent
const noSearch = textSearch([])

const pages = [
  home,
  page(
    "/deliveries",
    lazy(() => import("../pages/deliveries/Deliveries.tsx"), "Deliveries"),
    filterSearch("listDeliveries"),
  ),
  page(
    "/deliveries/$id",
    lazy(() => import("../pages/delivery/DeliveryPage.tsx"), "DeliveryPage"),
    noSearch,
  ),
  page(
    "/channels",
    lazy(() => import("../pages/channels/Channels.tsx"), "Channels"),
    filterSearch("listChannels"),
  ),
  page(
    "/channels/$id",
    lazy(() => import("../pages/channel/ChannelPage.tsx"), "ChannelPage"),
    textSearch(["tab"]),
  ),
  page(
    "/connections",
    lazy(() => import("../pages/connections/Connections.tsx"), "Connections"),
    filterSearch("listConnections"),
  ),
  page(
    "/connections/$id",
    lazy(() => import("../pages/connection/ConnectionPage.tsx"), "ConnectionPage"),
    noSearch,
  ),
  page(
    "/resolved-incidents",
    lazy(() => import("../pages/incidents/ResolvedIncidents.tsx"), "ResolvedIncidents"),
    filterSearch("listIncidents"),
  ),
  page(
    "/invalid-events",
    lazy(() => import("../pages/invalidEvents/InvalidEvents.tsx"), "InvalidEvents"),
    noSearch,
  ),
  page(
    "/jobs",
    lazy(() => import("../pages/jobs/Jobs.tsx"), "Jobs"),
    noSearch,
  ),
  page(
    "/jobs/$id",
    lazy(() => import("../pages/jobs/JobPage.tsx"), "JobPage"),
    noSearch,
  ),
  page(
    "/keys",
    lazy(() => import("../pages/keys/Keys.tsx"), "Keys"),
    noSearch,
  ),
  page(
    "/audit",
    lazy(() => import("../pages/audit/Audit.tsx"), "Audit"),
    filterSearch("listAudit"),
  ),
  page("$", NotFound, noSearch),
] as const

export const router = createRouter({
  routeTree: root.addChildren([signIn, shell.addChildren(pages)]),
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
