import { stopUntilHandled } from './src/entry/early-stop.ts';

/** The program of the container: `node deploy/docker/main.ts [command]`. The README lists the commands. */
stopUntilHandled();
const { runCommand } = await import('./src/entry/command.ts');
await runCommand(process.argv.slice(2), process.env);
