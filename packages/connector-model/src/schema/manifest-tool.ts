import { z } from 'zod';
import { handlerName } from './authentication.ts';
import { httpRequestTemplate, responseMapping } from './request.ts';
import { semanticVersion, toolShape } from './tool.ts';

/** A tool as people and importers write it in a manifest. */
export const manifestTool = z
  .strictObject({
    ...toolShape,
    description: toolShape.description.min(1),
    category: toolShape.category.min(1),
    version: semanticVersion.optional().describe("Version of the tool; by default the connector's."),
    request: httpRequestTemplate
      .optional()
      .describe('The HTTP request that the tool sends. Give either this or a handler.'),
    response: responseMapping
      .optional()
      .describe(
        "Which part of the response becomes the output; by default the whole JSON body. Only with 'request'.",
      ),
    handler: handlerName
      .optional()
      .describe("A function in the connector's handlers.ts, instead of a request."),
  })
  .superRefine((tool, context) => {
    if ((tool.request === undefined) === (tool.handler === undefined)) {
      context.addIssue({ code: 'custom', message: "must have either 'request' or 'handler'" });
    }
    if (tool.response !== undefined && tool.request === undefined) {
      context.addIssue({ code: 'custom', path: ['response'], message: "is only allowed with 'request'" });
    }
  })
  .describe('One operation of the application.');

/** A manifest's tool with all defaults. */
export type ManifestTool = z.output<typeof manifestTool>;
