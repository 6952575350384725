import { execFile } from 'node:child_process';
import { chmod, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder } from '@fairlead/local-stores/testing/temporary-folder';
import { describe, expect, it } from 'vitest';
import { invoke } from '../testing/invoke.ts';
import { SHELLS } from './scripts.ts';

const run = promisify(execFile);

async function words(...typed: string[]): Promise<string[]> {
  const { out } = await invoke(['__complete', '--', ...typed]);
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t', 1).join());
}

describe('candidates', () => {
  it('are the commands, then the subcommands, that match the typed text', async () => {
    expect(await words('')).toEqual(
      expect.arrayContaining(['login', 'logout', 'whoami', 'users', 'keys', 'accounts', 'doctor', 'context']),
    );
    expect(await words('us')).toEqual(['users']);
    expect(await words('users', '')).toEqual(['list', 'create', 'update']);
    expect(await words('--', 'nothing', '')).toEqual(await words(''));
  });

  it('are options after a dash, and the values of options with few', async () => {
    expect(await words('users', 'create', '--p')).toEqual(['--password', '--password-stdin']);
    expect(await words('users', 'create', '--role', '')).toEqual(['owner', 'admin', 'developer', 'member']);
    expect(await words('users', 'create', '--role', 'd')).toEqual(['developer']);
    expect(await words('users', 'create', '--email', '')).toEqual([]);
    expect(await words('completion', 'z')).toEqual(['zsh']);
    expect(await words('accounts', 'export', 'acc_1', '--file', '')).toEqual([':files']);
  });

  it('an option’s value is not taken for a command', async () => {
    expect(await words('users', '--url', 'keys', 'cre')).toEqual(['create']);
  });
});

describe('bash', () => {
  /** The completions that bash offers for a line whose last word is being typed. */
  async function complete(line: string): Promise<string[]> {
    const folder = await temporaryFolder();
    const cli = fileURLToPath(new URL('../cli.ts', import.meta.url));
    const program = join(folder, 'fairlead');
    await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`);
    await chmod(program, 0o755);
    await symlink('/dev/null', join(folder, 'a-file'));
    const script = `
      cd "$1"; PATH="$1:$PATH"
      eval "$(fairlead completion bash)"
      COMP_WORDS=($2); [ "\${2% }" = "$2" ] || COMP_WORDS+=('')
      COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
      $(complete -p fairlead | sed 's/.*-F \\([^ ]*\\).*/\\1/')
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await run('bash', ['--noprofile', '--norc', '-euc', script, 'bash', folder, line]);
    return stdout.split('\n').filter((word) => word !== '');
  }

  it('completes from the sourced script', async () => {
    expect(await complete('fairlead us')).toEqual(['users']);
    expect(await complete('fairlead keys ')).toEqual(['list', 'create', 'revoke']);
  });

  it('are files if one is expected', async () => {
    expect(await complete('fairlead accounts export acc_1 --file a-')).toEqual(['a-file']);
  });
});

it.each(SHELLS)('the %s script is one that its shell can read, where it is installed', async (shell) => {
  const { code, out } = await invoke(['completion', shell]);
  expect(code).toBe(0);
  const file = join(await temporaryFolder(), `completion.${shell}`);
  await writeFile(file, out);
  await run(shell, ['-n', file]).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
});
