// `npm run hostile -- <name> [options]`: runs one of the programs that attack their own stack; see docs/testing.md.
import { runNamed } from '../setup/run-named.ts';

await runNamed({
  conversations: () => import('./conversations.ts'),
  cost: () => import('./cost.ts'),
  latency: () => import('./latency.ts'),
  recovery: () => import('./recovery.ts'),
});
