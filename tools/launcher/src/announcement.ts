import type { DevFile } from './dev-file.ts';

/** The text printed after the start: address, key, and commands to paste. */
export function announcement(dev: DevFile, o: { devFile: string; seconds: number }): string {
  const { baseUrl, account, sandboxCrm } = dev;
  const curl = `curl -s -H 'x-api-key: ${account.apiKey}'`;
  const post = `${curl} -H 'content-type: application/json'`;
  const connection = JSON.stringify({
    applicationSlug: 'sandbox-crm',
    connectionName: 'Sandbox CRM',
    authenticationId: 1,
    fields: { apiToken: sandboxCrm.apiKey },
  });
  return `
Fairlead is ready (${o.seconds.toFixed(1)} s)

  Base URL   ${baseUrl}
  API key    ${account.apiKey}
  Docs       ${dev.docsUrl}
  Everything else (sample vendors, stores, a second account): ${o.devFile}

Check the key, list the applications, connect the sample CRM, execute one of its tools:

  ${curl} ${baseUrl}/v1/auth/whoami
  ${curl} ${baseUrl}/v1/applications
  ${post} ${baseUrl}/v1/connections -d '${connection}'
  ${post} ${baseUrl}/v1/tools/sandbox-crm-list-contacts/execute -d '{"top":3}'

Ctrl-C stops everything.
`;
}
