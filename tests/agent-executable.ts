// `npm test -- agent-executable`: builds the executable of the on-prem agent for this machine, and runs the contract tests of the agent
// process with it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'agent-executable-'));
try {
  const platform = `${process.platform}-${process.arch}`;
  run('npm', ['run', 'agent:release', '--', '--out', folder, '--platform', platform]);
  const executable = readdirSync(folder).find((name) => name.endsWith(platform));
  if (executable === undefined) throw new Error(`No executable for ${platform} was built.`);
  run('npx', ['vitest', 'run', '--project', 'contract', 'tests/contract/on-prem-agent-'], {
    ...process.env,
    AGENT_COMMAND: join(folder, executable),
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function run(command: string, args: readonly string[], env = process.env): void {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', env });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed.`);
}
