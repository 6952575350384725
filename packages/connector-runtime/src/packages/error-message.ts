/** The message of an error, with the permission that the process lacks, which Node's message leaves out. */
export function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return 'It threw a value that is not an error.';
  if (!('code' in error) || error.code !== 'ERR_ACCESS_DENIED') return error.message;
  const { permission = '', resource = '' } = error as {
    readonly permission?: string;
    readonly resource?: string;
  };
  return `${error.message} (${[permission, resource].join(' ').trim()})`;
}
