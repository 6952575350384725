import type { Page } from '@fairlead/service-kit/http/app';
import { DOCS_PATH, LLMS_FULL_PATH, LLMS_PATH, OPENAPI_PATH } from './addresses.ts';
import type { Guide } from './guides/load-guides.ts';
import { publishedPage } from './published.ts';

const CONTENT_TYPE = 'text/plain; charset=utf-8';

/** The overview for language models in the form of llmstxt.org, and all guides in one text. */
export function llmsPages(guides: readonly Guide[], publicUrl: string): readonly Page[] {
  const introduction = `# Fairlead

> The open, self-hostable integration platform: an application or an AI agent browses a catalogue of applications, connects to them and executes their tools, through one REST API. Events of connected applications are delivered to your servers.

The API of this installation is at ${publicUrl}. Each call carries an API key in the header \`x-api-key\`, or an OAuth 2.1 access token as \`Authorization: Bearer\`. A first call: \`curl -H "x-api-key: $KEY" ${publicUrl}/v1/auth/whoami\`
`;
  const overview = `${introduction}
## Guides

${guides.map(({ title, path, summary }) => `- [${title}](${publicUrl}${path}.md): ${summary}`).join('\n')}

## Reference

- [OpenAPI document](${publicUrl}${OPENAPI_PATH}): every operation with its parameters, schemas, errors and examples
- [API reference](${publicUrl}${DOCS_PATH}): the same for people, who can try each operation there

## Optional

- [All guides in one text](${publicUrl}${LLMS_FULL_PATH})
`;
  const full = [introduction, ...guides.map(({ markdown }) => markdown.trim())].join('\n\n');
  return [
    publishedPage(LLMS_PATH, { contentType: CONTENT_TYPE, body: overview }),
    publishedPage(LLMS_FULL_PATH, { contentType: CONTENT_TYPE, body: `${full}\n` }),
  ];
}
