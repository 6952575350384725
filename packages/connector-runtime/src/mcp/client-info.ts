/** How Fairlead identifies itself to MCP servers. */
export const CLIENT_INFO = { name: 'fairlead', title: 'Fairlead', version: '0.1.0' };
