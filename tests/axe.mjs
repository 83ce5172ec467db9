// The browser's part of tests/axe.
import { createRequire } from "node:module";
import { mkdirSync, readFileSync } from "node:fs";

const { CHROMIUM, NPM, OUT, TOLD } = process.env;
const require = createRequire(NPM);
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [, search, port] = TOLD.match(/listening on (http:\S+) .*port (\d+)/);
const copies = `http://127.0.0.1:${port}`;
const site = encodeURIComponent("https://site.example/");
const pages = {
    start: `${search}/`,
    hits: `${search}/?q=bread&limit=4`,
    later: `${search}/?q=bread&limit=3&page=2`,
    behind: `${search}/?q=bread&page=9`,
    empty: `${search}/?q=zeppelin+bread`,
    refused: `${search}/?q=rye+(title:`,
    why: `${search}/why?url=${site}alphabet.html&q=trays`,
    gone: `${search}/why?url=${site}contact.html`,
    unknown: `${search}/why?url=${site}nowhere`,
    wrong: `${search}/?page=0`,
    copy: `${copies}/copy?url=${site}guestbook.html`,
    "no-copy": `${copies}/copy?url=${site}contact.html`,
};
const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const wrong = [];
let checks = 0;
if (OUT) mkdirSync(OUT, { recursive: true });

const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });

// What axe finds. A copy is somebody else's page: there axe is not asked.
async function found(page) {
    await page.evaluate(axe);
    const { violations } = await page.evaluate(values => axe.run(document, { runOnly: { type: "tag", values } }), tags);
    return violations.map(one => `${one.id}: ${one.nodes.map(node => node.target).join(" ")}`);
}

// The place of what has the focus among the controls, and whether that is seen.
function focused() {
    const all = [...document.querySelectorAll("a[href], input, select, button, summary, [tabindex='0']")].filter(one => one.checkVisibility());
    const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
    const seen = outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
    return { at: all.indexOf(document.activeElement), all: all.length, seen };
}

// Tab goes through every control in the order of the page, and each shows that it has the focus.
async function keyboard(page) {
    // A search box may have the focus already: back to the beginning.
    let now = await page.evaluate(focused);
    do {
        await page.keyboard.press(now.at > 0 ? "Shift+Tab" : "Tab");
        now = await page.evaluate(focused);
    } while (now.at > 0);
    for (let expected = 0; expected < now.all; expected++) {
        if (now.at !== expected) return [`Tab goes to ${now.at}, not to ${expected} of ${now.all}`];
        if (!now.seen) return [`no focus is seen on control ${expected}`];
        await page.keyboard.press("Tab");
        now = { ...await page.evaluate(focused), all: now.all };
    }
    return [];
}

for (const colorScheme of ["light", "dark"]) {
    for (const width of [390, 1400]) {
        // First as a browser is, without a script of ours; then past the policy, which would stop axe too.
        for (const bypassCSP of [false, true]) {
            const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 }, bypassCSP });
            for (const [name, url] of Object.entries(pages)) {
                const page = await context.newPage();
                const loads = [], complaints = [];
                page.on("request", request => loads.push(request.url()));
                page.on("console", message => complaints.push(message.text()));
                await page.goto(url);
                const told = [];
                if (bypassCSP) {
                    if (name !== "copy") told.push(...await found(page), ...await keyboard(page));
                    if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) told.push("wider than the window");
                } else {
                    told.push(...loads.filter(load => load !== url && !load.endsWith("/favicon.ico")).map(load => `loads ${load}`));
                    told.push(...complaints.filter(text => /Content.Security.Policy|script/i.test(text) && name !== "copy"));
                    if (OUT) await page.screenshot({ path: `${OUT}/${name}-${width}-${colorScheme}.png`, fullPage: true });
                }
                wrong.push(...told.map(text => `${name}, ${width}, ${colorScheme}: ${text}`));
                checks++;
                await page.close();
            }
            await context.close();
        }
    }
}

// Without its label, and with letters that nobody can read, the same page is noticed: else the checks above say nothing.
const context = await browser.newContext({ bypassCSP: true });
const page = await context.newPage();
await page.goto(pages.hits);
await page.evaluate(() => {
    document.querySelector("label").remove();
    for (const one of document.querySelectorAll(".excerpt")) one.setAttribute("style", "color: #ddd; background: #fff");
});
const planted = (await found(page)).map(text => text.split(":")[0]);
if (!planted.includes("label") || !planted.includes("color-contrast")) wrong.push(`planted faults are not noticed: ${planted}`);
await browser.close();

for (const text of wrong) console.error(text);
console.log(`${checks} pages opened, ${wrong.length} faults; planted: ${planted.join(", ")}`);
process.exit(wrong.length ? 1 : 0);
