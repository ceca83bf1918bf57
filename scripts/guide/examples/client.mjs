// Follows a user's notifications: each once, also after the connection or the service was gone. For Node 20 and browsers.
// usage: WAYMARK_TOKEN=… node client.mjs http://127.0.0.1:8080
const address = process.argv[2];
let last = null;

async function follow() {
  const headers = { Authorization: `Bearer ${process.env.WAYMARK_TOKEN}`, ...(last ? { "Last-Event-ID": last } : {}) };
  const answer = await fetch(`${address}/v1/notifications/stream`, { headers });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  let text = "";
  for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
    const events = (text + piece).split("\n\n");
    text = events.pop();
    for (const event of events) {
      const fields = Object.fromEntries(event.split("\n").map((line) => line.split(/: (.*)/s)));
      if (fields.event === "notification") console.log(JSON.parse(fields.data).title);
      last = fields.id ?? last;
    }
  }
}

for (;;) {
  await follow().catch((error) => console.error(`again in two seconds: ${error.message}`));
  await new Promise((resolve) => setTimeout(resolve, 2000));
}
