"""OWSLib: from the landing page to every feature, with boxes, conditions and pages, as a stranger and with a token."""
import json
import sys

from readers_parts import checks as common

NAME = "OWSLib"
CONDITION = f"title = '{common.stories.ACCENTS}' AND T_BEFORE(date, DATE('1900-01-01'))"
# The number of stories that the service reads for one page of a filter.
MOST_FILTERED = 20_000


def point(feature):
    return tuple(feature["geometry"]["coordinates"]) if feature["geometry"] else None


def narrowest(points):
    """The smallest box around points, which may cross the antimeridian: then its west is larger than its east."""
    across = sorted({x for x, _ in points})
    gaps = [(after - before, after, before) for before, after in zip(across, across[1:])]
    _, west, east = max([*gaps, (across[0] + 360 - across[-1], across[0], across[-1])])
    return west, min(y for _, y in points), east, max(y for _, y in points)


def pages(service, limit, collection="stories", **question):
    """All features of a question, following the links from page to page."""
    import requests
    page = service.collection_items(collection, limit=limit, **question)
    found = list(page["features"])
    while True:
        following = [link["href"] for link in page["links"] if link["rel"] == "next"]
        if not following:
            return found
        answer = requests.get(following[0], headers=service.headers, timeout=60)
        answer.raise_for_status()
        page = answer.json()
        found += page["features"]


def broad(world, checks, who, service):
    """A condition on all stories: it finds the one or, with more real ones before it than are read for a page, is refused."""
    try:
        titles = [feature["properties"]["title"] for feature in service.collection_items("stories", filter=CONDITION)["features"]]
    except RuntimeError as refused:
        problem = json.loads(str(refused))
        titles = [problem["type"], problem["status"], "bbox" in problem["detail"]]
    wanted = ["/problems/filter-too-broad", 400, True] if world["real"] >= MOST_FILTERED else [common.stories.ACCENTS]
    checks.equal(titles, wanted, f"{who}: a condition on all stories")


def viewer(world, checks, who, service):
    checks.right(any(uri.endswith("/ogcapi-features-1/1.0/conf/core") for uri in service.conformance()["conformsTo"]), f"{who}: the classes")
    checks.equal(service.feature_collections(), ["stories", "story_places"], f"{who}: the collections")
    queryables = service.collection_queryables("stories")["properties"]
    checks.right({"title", "kind", "date", "created_at", "geometry"} <= set(queryables), f"{who}: the queryables", list(queryables))
    found = pages(service, 500)
    checks.stories(who, world[who], [(feature["properties"]["title"], point(feature)) for feature in found])
    box = service.collection("stories")["extent"]["spatial"]["bbox"][0]
    checks.box(box, narrowest([point(feature) for feature in found if point(feature)]), f"{who}: collection", within=1e-4)
    checks.equal(len({feature["id"] for feature in found}), world[who]["count"], f"{who}: the pages have every story once")
    checks.shapes(who, [feature["properties"]["places"] for feature in found if "places" in feature["properties"]])
    box = [-10, 40, -8, 42]
    inside = pages(service, 100, bbox=box)
    # By the standard, what has no geometry is in every box.
    wanted = {feature["id"] for feature in found
              if not point(feature) or box[0] <= point(feature)[0] <= box[2] and box[1] <= point(feature)[1] <= box[3]}
    checks.equal({feature["id"] for feature in inside}, wanted, f"{who}: a box, and what lies nowhere")
    broad(world, checks, who, service)
    # With a box, as the guide asks where stories are many. The stories of no place are in it as well, so the condition has to choose.
    checks.right(len(inside) > 1, f"{who}: the box holds more than the condition picks", len(inside))
    named = service.collection_items("stories", bbox=box, filter=CONDITION)
    checks.equal([feature["properties"]["title"] for feature in named["features"]], [common.stories.ACCENTS], f"{who}: a condition")
    checks.equal(named["features"][0]["properties"]["text"], common.stories.MARKUP, f"{who}: texts keep their lines and signs")
    one = service.collection_item("stories", named["features"][0]["id"])
    checks.near(point(one), (-8.61, 41.15), f"{who}: one feature")
    places = pages(service, 2, "story_places")
    checks.shapes(f"{who}, further places", [[{"geometry": place["geometry"]} for place in places]])
    box = service.collection("story_places")["extent"]["spatial"]["bbox"][0]
    checks.box(box, common.stories.SHAPES_BOX, f"{who}: the extent of further places")
    inside = pages(service, 2, "story_places", bbox=[-84.47, 33.61, -84.45, 33.63])
    checks.equal([place["properties"]["role"] for place in inside], ["lived"], f"{who}: a box in an area finds it")
    one = service.collection_item("story_places", places[0]["id"])
    checks.equal(one["geometry"], places[0]["geometry"], f"{who}: one further place")


def read(world, checks):
    import owslib
    from owslib.ogcapi.features import Features
    checks.version = owslib.__version__
    address = world["address"] + "/"
    viewer(world, checks, "public", Features(address))
    viewer(world, checks, "ana", Features(address, headers={"Authorization": f"Bearer {world['tokens']['ana']}"}))
    checks.opens("OGC API")


if __name__ == "__main__":
    sys.exit(common.main(NAME, read))
