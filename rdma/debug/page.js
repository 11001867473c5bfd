"use strict";
// The page fetches itself again and takes the tables, so that opened details, the filter and the place stay. What it
// fetches is parsed by DOMParser, which runs no script; texts of peers are escaped in it already.
const seconds = Number(document.body.dataset.refresh) || 2;
const state = document.getElementById("state"), pause = document.getElementById("pause");
let paused = false;
pause.hidden = false;
pause.onclick = () => {
	paused = !paused;
	pause.textContent = paused ? "continue" : "pause";
};
function take(fresh) {
	const open = new Map();
	for (const d of document.querySelectorAll("details[data-key]")) open.set(d.dataset.key, d.open);
	for (const old of document.querySelectorAll("[data-live]")) {
		const now = fresh.getElementById(old.id);
		if (now) old.replaceWith(document.adoptNode(now));
	}
	for (const d of document.querySelectorAll("details[data-key]"))
		if (open.has(d.dataset.key)) d.open = open.get(d.dataset.key);
}
async function look() {
	if (!paused && !document.hidden && getSelection().isCollapsed) {
		try {
			const answer = await fetch(location.href, {redirect: "error", signal: AbortSignal.timeout(10000)});
			if (!answer.ok) throw new Error("status " + answer.status);
			const text = await answer.text();
			if (!paused) take(new DOMParser().parseFromString(text, "text/html"));
			state.textContent = "";
		} catch (e) {
			state.textContent = "no answer: " + e.message;
		}
	}
	setTimeout(look, 1000 * seconds);
}
setTimeout(look, 1000 * seconds);
