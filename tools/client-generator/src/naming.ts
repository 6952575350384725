/** `On-prem agents` → `OnPremAgents`. */
export function pascalCase(words: string): string {
  return words
    .split(/[^A-Za-z0-9]+/)
    .map(capitalise)
    .join('');
}

/** `On-prem agents` → `onPremAgents`. */
export function camelCase(words: string): string {
  const name = pascalCase(words);
  return name.slice(0, 1).toLowerCase() + name.slice(1);
}

/** `getSignInUrl` → `get_sign_in_url`, `listOAuthClients` → `list_oauth_clients`. */
export function snakeCase(name: string): string {
  return name
    .replaceAll('OAuth', 'Oauth')
    .replace(/[A-Z]/g, (letter, index: number) => (index > 0 ? '_' : '') + letter.toLowerCase());
}

/** Capitalizes the first letter. */
export function capitalise(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/** The name of the iterator over a list operation: `iterate` over `list`, `iterateExecutions` over `listExecutions`. */
export function iteratorName(operation: string): string {
  return `iterate${capitalise(operation.replace(/^(?:list|get)(?=[A-Z]|$)/, ''))}`;
}
