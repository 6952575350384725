// `npm run hostile -- <name> [options]`: one of the programs that attack a stack of their own; docs/testing.md describes them.
import { runNamed } from '../setup/run-named.ts';

await runNamed({
  conversations: () => import('./conversations.ts'),
  cost: () => import('./cost.ts'),
  latency: () => import('./latency.ts'),
  recovery: () => import('./recovery.ts'),
});
