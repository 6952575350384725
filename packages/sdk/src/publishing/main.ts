import { fileURLToPath } from 'node:url';
import { build } from './build.ts';

/** `npm run build`: the package as it is published, in `dist`. */
build(fileURLToPath(new URL('../../dist', import.meta.url)));
