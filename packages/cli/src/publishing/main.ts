import { fileURLToPath } from 'node:url';
import { build } from './build.ts';

/** `npm run build`: writes the published package to `dist`. */
await build(fileURLToPath(new URL('../../dist', import.meta.url)));
