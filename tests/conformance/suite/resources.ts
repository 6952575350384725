import { acceptedContent, inputRequired, ResourceTemplate } from '@modelcontextprotocol/server';
import type { GetPromptResult, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { embedded, image, PNG, text } from './contents.ts';
import { askText } from './questions.ts';

/** Adds the resources that the suite reads and subscribes to. */
export function addResources(mcp: McpServer): void {
  const plain = { mimeType: 'text/plain' };
  const add = (
    name: string,
    content: { text: string } | { blob: string },
    mimeType = plain.mimeType,
  ): void => {
    const uri = `test://${name}`;
    mcp.registerResource(name, uri, { title: name, mimeType }, () => ({
      contents: [{ uri, mimeType, ...content }],
    }));
  };
  add('static-text', { text: 'This is the content of the static text resource.' });
  add('static-binary', { blob: PNG }, 'image/png');
  add('watched-resource', { text: 'Watched resource content' });
  mcp.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { title: 'template', mimeType: 'application/json' },
    ({ href }, { id }) => ({
      contents: [
        { uri: href, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true }) },
      ],
    }),
  );
  for (const method of ['resources/subscribe', 'resources/unsubscribe'] as const)
    mcp.server.setRequestHandler(method, () => ({}));
}

const said = (...content: readonly GetPromptResult['messages'][number]['content'][]): GetPromptResult => ({
  messages: content.map((block) => ({ role: 'user', content: block })),
});

/** Adds the prompts that the suite gets, and completions of their arguments. */
export function addPrompts(mcp: McpServer): void {
  mcp.registerPrompt('test_simple_prompt', { description: 'Has no argument.' }, () =>
    said(text('This is a simple prompt for testing.')),
  );
  mcp.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'Has two arguments.', argsSchema: z.object({ arg1: z.string(), arg2: z.string() }) },
    ({ arg1, arg2 }) => said(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  mcp.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'Embeds a resource.', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) =>
      said(
        embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
        text('Please process the embedded resource above.'),
      ),
  );
  mcp.registerPrompt('test_prompt_with_image', { description: 'Has an image.' }, () =>
    said(image, text('Please analyze the image above.')),
  );
  mcp.registerPrompt('test_input_required_result_prompt', { description: 'Asks first.' }, ({ mcpReq }) => {
    const told = acceptedContent(mcpReq.inputResponses, 'user_context');
    return told === undefined
      ? inputRequired({ inputRequests: { user_context: askText('In which context?', 'context') } })
      : said(text(`Use the following context: ${String(told['context'])}`));
  });
  mcp.server.setRequestHandler('completion/complete', () => ({
    completion: { values: ['test'], total: 1, hasMore: false },
  }));
}
