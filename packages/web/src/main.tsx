import { createRoot } from "react-dom/client"
import "./app/mantine.css"
import "./app/global.css"
import { App } from "./app/App.tsx"

const root = document.getElementById("root")
if (!root) throw new Error("index.html has no element #root")
createRoot(root).render(<App />)
