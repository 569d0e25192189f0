// Starts the console in its page.
import { createRoot } from 'react-dom/client';

const root = document.getElementById('root');
if (root) createRoot(root).render(<p>Agent Orchestration Service</p>);
