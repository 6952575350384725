import { runCommand } from './src/entry/command.ts';

/** The program of the container: `node deploy/docker/main.ts [command]`. The README lists the commands. */
await runCommand(process.argv.slice(2), process.env);
