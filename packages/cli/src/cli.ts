#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { run } from './run.ts';

process.exitCode = await run(process.argv.slice(2), {
  environment: process.env,
  cwd: process.cwd(),
  defaultData: fileURLToPath(new URL('../../../.fairlead', import.meta.url)),
  out: process.stdout,
  err: process.stderr,
});
