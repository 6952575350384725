// `npm run bench -- <name> [options]`: runs a measurement of docs/performance.md. Without a name: the layers of a request; `--against
// <commit>` compares them with an earlier commit's.
import { runNamed } from '../setup/run-named.ts';

await runNamed(
  {
    layers: () => import('./layers.ts'),
    agents: () => import('./agents.ts'),
    catalogue: () => import('./catalogue.ts'),
    connections: () => import('./connections.ts'),
    delivery: () => import('./delivery.ts'),
    events: () => import('./event-lists.ts'),
    executions: () => import('./executions.ts'),
    fairness: () => import('./fairness.ts'),
    files: () => import('./files.ts'),
    history: () => import('./history.ts'),
    keeper: () => import('./keeper.ts'),
    mcp: () => import('./mcp.ts'),
    'mcp-sessions': () => import('./mcp-sessions.ts'),
    'mcp-streams': () => import('./mcp-streams.ts'),
    search: () => import('./search/search.ts'),
    sessions: () => import('./sessions.ts'),
    'tools-page': () => import('./tools-page.ts'),
  },
  'layers',
);
