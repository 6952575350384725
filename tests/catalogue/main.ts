// `npm run connectors -- <name> [slugs]`: the checks of the whole catalogue; packages/connector-model/README.md describes them.
import { runNamed } from '../setup/run-named.ts';

await runNamed({
  lint: () => import('./lint/main.ts'),
  compile: () => import('./compile.ts'),
  prism: () => import('./prism/main.ts'),
  pieces: () => import('./pieces/main.ts'),
  servers: () => import('./servers/main.ts'),
  crosscheck: () => import('./crosscheck/main.ts'),
});
