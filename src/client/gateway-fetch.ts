/** The runtime's own `fetch`, for the parts of Headgate that are clients of a gateway. */
export const gatewayFetch = (url: URL, request: RequestInit): Promise<Response> => fetch(url, request);
